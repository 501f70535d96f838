"""Problems of what files of recommendations mean: by their names, their columns, and beside each other."""

from evalcore.problems.kinds import declare

declare(
    "RCM-070",
    "error",
    "{role} interactions by the file's name, and no table that can be read: {reason}",
    "{role} interactions of a recommender evaluation",
    "Without them the numbers would be others. Write them as CSV or Parquet, or move the file elsewhere if "
    "it holds none.",
)
declare(
    "RCM-071",
    "error",
    "the rating {found} of item {item} by user {user} beside its score",
    "a finite number, or nothing where the pair is not in the test",
    "Correct the cell, or give the test interactions with --test F: then these ratings are not needed.",
)
declare(
    "RCM-072",
    "choice",
    "the columns of a model's lists (user, item, {name}) in a file that is called like {role} interactions",
    "a word on which they are",
    "If they are a model's lists, say --lists F or take “{role}” out of the file's name; if {name} is what "
    "users gave, say --{role} F or call the column rating.",
)
declare(
    "RCM-073",
    "error",
    "sampled negatives by the file's name, and no rating: each would count as relevant",
    "a rating of 0 in each of their rows, or no such file",
    "Add a column rating, or leave the file out: every item without a relevant test row is a negative "
    "anyway.",
)
declare(
    "RCM-074",
    "choice",
    "a column {name} of 0 and 1, and no rating: every row would count as relevant",
    "a word on whether it says what is relevant",
    "Say --column rating={name!q}; or --column rating= (nothing) where every row is relevant.",
)
declare(
    "RCM-075",
    "warning",
    "no rating, and columns of numbers without a role: {found}",
    "",
    "Every test row counts as relevant. If one of them is a rating, say --column rating={name!q}.",
)
declare(
    "RCM-076",
    "error",
    "no {value} in this file, and one in {first}, of the same kind",
    "the same columns in all of them",
    "Add the column {value}, or name it with --column {value}=NAME; for test rows without a rating write 1 "
    "where each is relevant.",
)
declare(
    "RCM-077",
    "error",
    "{found}",
    "a row for each pair of user and item",
    "{advice}",
)
declare(
    "RCM-078",
    "error",
    "{found}",
    "{role} interactions: a row for each user and item, or judgements of TREC",
    "{advice}",
)
declare(
    "RCM-079",
    "warning",
    "no {unit} of {first} in {second}: {other} here, {found} there",
    "",
    "They are written alike and are others: nothing of the one has a part in the other. Make sure that they "
    "belong together.",
    names_ids=True,
)
declare(
    "RCM-113",
    "warning",
    "most users of {first} among the items of {second}, and most of its items among the users there",
    "",
    "The columns of users and of items seem to be exchanged in one of these files, and then every number is "
    "wrong. Correct the header of that file.",
)
declare(
    "RCM-080",
    "error",
    "{n:,} of {n_all:,} {unit}s of {first} that stand in {second} under a like id: {found}",
    "ids as both files write them",
    "Write them alike: numbers without .0 and with the zeros before them, no blanks around, one case.",
    names_ids=True,
)
declare(
    "RCM-081",
    "warning",
    "features between {marks}: {n:,}, such as {found}",
    "",
    "They were taken apart. To say it yourself write a|b|c; a feature that holds such a mark stands in a "
    "JSON array.",
)
declare(
    "RCM-082",
    "error",
    "several words in a cell, such as {found}: {n:,} different words in {n_all:,} different cells",
    "one feature a cell, or a list a|b|c",
    "Write | between features, or _ within one.",
)
declare(
    "RCM-083",
    "error",
    "numbers beside the ids that put them into another order than the file does, or into none",
    "the ids in the order of the rows or columns of the matrix, or one column index with 0 to {last:,}",
    "Sort the file by {name}, or call it index where it holds the place in the matrix, from 0; else leave it "
    "out.",
)
declare(
    "RCM-084",
    "error",
    "{found} in the other files, where the matrix counts its {unit} from 0",
    "ids that count from 0, or the ids beside the scores",
    "If they count from 1, every score is another's. Save users, items and scores with numpy.savez, or name "
    "files with the ids in the order of rows and columns: --scores F.npy --scores users.csv --scores "
    "items.csv.",
)
declare(
    "RCM-085",
    "warning",
    "ranks that order equal scores in {n:,} of {n_lists:,} lists, such as that of user {user}",
    "",
    "The score decided, and items with one score stand by their id. To go by the ranks leave the score out.",
    names_ids=True,
)
declare(
    "RCM-086",
    "warning",
    "several columns and none that is called group: {found}",
    "",
    "Each breaks values down, and measures over groups have none. Say which with --column cluster={name!q}.",
)
declare(
    "RCM-087",
    "choice",
    "a column {name} beside user and item, and neither a score nor a rank in any file",
    "a word on whether it was predicted",
    "If it was, these are a model's lists: say --column score={name!q}. If users gave it, say --train F or "
    "--test F, and give the lists as INPUT.",
)
