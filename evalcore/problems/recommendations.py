"""Problems of recommendation lists, interactions, groups, features and scores of all items."""

from evalcore.problems.kinds import declare

declare(
    "RCM-001",
    "error",
    "interactions and neither lists nor scores of a model: {found}",
    "lists of a model (user, item, score or rank) beside train and test interactions",
    "Give the lists as INPUT and the interactions with --train F and --test F. To make them, split the "
    "ratings, fit a model to the train part, and write its best items for each user.",
)
declare(
    "RCM-002",
    "choice",
    "interactions (user {user}, item {item}) that may be those of the training or of the test",
    "a word on which they are",
    "Say --train F or --test F instead of INPUT, or name the file train.csv or test.csv.",
)
declare(
    "RCM-003",
    "error",
    "item {item} at ranks {ranks} of the list of user {user}",
    "each item once in a list",
    "Remove the repetition (tools fill short lists up with one item), or say --keep-first to keep its best "
    "rank.",
)
declare("RCM-004", "warning", "repeated items: {n:,}", "", "The best rank of each was kept, as you asked.")
declare(
    "RCM-005",
    "error",
    "the rating {rating} of item {item} by user {user}, and {other} in {first}",
    "one rating of an item by a user",
    "Keep one of them, or say --keep-first to keep the highest.",
)
declare(
    "RCM-006",
    "error",
    "the score {found} of item {item} for user {user}",
    "a finite number",
    "Correct the score, or leave the row out.",
)
declare(
    "RCM-007",
    "error",
    "the rating {found} of item {item} by user {user}",
    "a finite number",
    "Correct the rating, or leave the row out.",
)
declare(
    "RCM-008",
    "error",
    "the rank {found} of item {item} for user {user}",
    "a rank: a whole number from 1 on, or from 0 on in every list",
    "Correct the cell.",
)
declare(
    "RCM-009",
    "error",
    "rank {rank} of user {user} again; {first} has it already",
    "each rank once in a list",
    "Correct one of the two rows; lists of several models need a column model.",
)
declare(
    "RCM-010",
    "error",
    "ranks that rise with the scores in every list: the order of one is that of the other reversed",
    "rank 1 for the highest score",
    "If the score is a distance, write it negative, or leave its column out: then the ranks decide. If the "
    "ranks count from the worst, leave them out: then the scores decide.",
)
declare(
    "RCM-011",
    "warning",
    "ranks that contradict the scores in {n:,} of {n_lists:,} lists, such as that of user {user}",
    "",
    "The score decided, higher first. To go by the ranks leave the score out.",
    names_ids=True,
)
declare(
    "RCM-012",
    "error",
    "the id {found}, with which tools fill short lists up",
    "an id of a user or an item",
    "Leave these rows out: a short list stays short.",
)
declare(
    "RCM-013",
    "warning",
    "ids of several files that look alike: {found}",
    "",
    "They are kept as different ids; make sure that they are.",
    names_ids=True,
)
declare(
    "RCM-014",
    "error",
    "{value} as the group of {unit}, and {other} in row {first}",
    "one group of a user or an item in a column",
    "Correct one of the two rows.",
)
declare(
    "RCM-015",
    "warning",
    "groups of users that stand in no list, train or test, such as {user}: {n:,}",
    "",
    "They were left out and counted. Check that ids are written alike if they should be there.",
    names_ids=True,
)
declare(
    "RCM-016",
    "warning",
    "items that stand in no list, train or test, such as {item}: {n:,}",
    "",
    "They belong to the catalogue: a model could have recommended them.",
    names_ids=True,
)
declare(
    "RCM-017",
    "error",
    "no {unit} of {first} in {second}: {other} here, {found} there",
    "ids as both files write them",
    "Compare how both write their ids; exports of internal numbers and of names do not fit together.",
    names_ids=True,
)
declare("RCM-018", "error", "{found}", "{expected}", "{advice}")
declare(
    "RCM-019",
    "error",
    "the score {found} of item {item} for user {user}",
    "a finite number, or NaN where an item has no score",
    "Correct the score; write NaN where an item is masked or has none.",
)
declare(
    "RCM-020",
    "error",
    "scores whose {unit} are known by their numbers 0 to {last:,}, and the {word} {found} elsewhere",
    "numbers in that range as ids, or the ids beside the scores",
    "Save users, items and scores with numpy.savez, or name files with the ids in the order of rows and "
    "columns: --scores F.npy --scores users.csv --scores items.csv.",
    names_ids=True,
)
declare(
    "RCM-021",
    "error",
    "no feature among {found}",
    "columns of 0 and 1, or a list of features such as genres with a|b|c",
    "Name the list with --column features=NAME, or write a column of 0 and 1 for each feature.",
)
declare(
    "RCM-022",
    "warning",
    "true ratings ({name}) beside the scores, and no test interactions",
    "",
    "They were taken as the test interactions. Lists of nothing but rated items say little about ranking; "
    "give --test, and lists over all items, for that.",
)
declare(
    "RCM-023",
    "error",
    "lists with neither a score nor a rank among {found}",
    "a score, higher is better, or a rank",
    "Name one with --column score=NAME or --column rank=NAME. Rows of a file have no order of their own.",
)
declare("RCM-024", "warning", "{found}", "", "Nothing is computed from them: the file was left out.")
declare(
    "RCM-025",
    "error",
    "lists in the cells of {name}, a row a user",
    "a row for each recommended item",
    "{advice}",
)
declare(
    "RCM-030",
    "warning",
    "recommended items that their user has in train: {n:,}, in {n_lists:,} of {n_all:,} lists{whose}",
    "",
    "They leave the lists before anything is ranked; nobody is recommended what they have.",
)
declare(
    "RCM-031",
    "warning",
    "{n:,} of {n_all:,} lists{whose} shorter than the longest: {shortest:,} to {longest:,} items",
    "",
    "They are never filled up: what lies beyond the end of a list is no recommendation.",
)
declare(
    "RCM-032",
    "warning",
    "users with a list that stand in neither train nor test, such as {found}: {n:,}",
    "",
    "They have no part in accuracy; coverage, popularity and the like count their lists.",
    names_ids=True,
)
declare(
    "RCM-033",
    "warning",
    "recommended items that stand in neither train nor test, such as {found}: {n:,}",
    "",
    "They belong to the catalogue. Check that ids are written alike if they should be there.",
    names_ids=True,
)
declare(
    "RCM-034",
    "warning",
    "users with test interactions of which none is relevant (a rating above 0): {n:,} of {n_all:,}",
    "",
    "Accuracy is a mean over the others; the variant over all users counts them as 0.",
)
declare(
    "RCM-035",
    "warning",
    "users with relevant items and no list{whose}: {n:,} of {n_all:,}",
    "",
    "They count as 0 in every mean of accuracy.",
)
declare(
    "RCM-036",
    "warning",
    "equal scores in {told}",
    "",
    "Items with one score are ordered by their id, ascending, whichever way the rows stand.",
)
declare(
    "RCM-037",
    "warning",
    "test interactions that stand in train too: {n:,} of {n_all:,}",
    "",
    "Train items leave the lists, so that these cannot be hit. Split without overlap.",
)
declare(
    "RCM-100",
    "warning",
    "no test interactions beside the lists",
    "",
    "Without them nothing is relevant: accuracy and all that counts hits has no value. Give a test file with "
    "the columns user and item, and a rating where there is one.",
)
declare("RCM-038", "warning", "repeated {role} interactions: {n:,}", "", "Each pair counts once.")
declare(
    "RCM-110",
    "error",
    "{found} for {n:,} {unit}: {size} in memory",
    "at most {limit} for all groups and features together",
    "{advice}, or raise EVALCORE_MAX_BESIDE_MB.",
)
declare(
    "RCM-112",
    "error",
    "{found} for item {item} and user {user}",
    "a number from −1e100 to 1e100",
    "Correct it. Where such a number marks an item that must not be shown, leave the row out, or write NaN "
    "in a matrix.",
)
declare(
    "RCM-111",
    "warning",
    "{n_users:,} groups of users and {n_items:,} of items, which are {n:,} pairs",
    "at most {most:,} pairs",
    "Values of pairs were left out; those of groups of users and of groups of items are there. Join small "
    "groups where pairs matter.",
)
declare(
    "RCM-040",
    "error",
    "{value} as the group of {unit}, and {other} in {first}",
    "one group of a user or an item in a column, whichever file names it",
    "Correct one of the two files; where they mean different things, write one file with a column for each.",
    names_ids=True,
)
declare(
    "RCM-041",
    "error",
    "the features {value} of {unit}, and {other} in {first}",
    "the same features of an item, whichever file names them",
    "Correct one of the two files, or leave the item out of one of them.",
    names_ids=True,
)
declare(
    "RCM-042",
    "error",
    "{found}, and the word that scores in lists are predicted ratings",
    "lists with a score of each item",
    "Name the column with the predicted rating: --column score=NAME; or leave out --predicted-ratings.",
)
declare(
    "RCM-043",
    "error",
    "{found}, and the word that scores in lists are predicted ratings",
    "a test with a column rating, on the scale of the predicted ones",
    "Give it with --test F; or leave out --predicted-ratings.",
)
