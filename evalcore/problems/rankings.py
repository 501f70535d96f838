"""Problems of ranked lists, candidates and TREC files."""

from evalcore.problems.kinds import declare

declare(
    "RNK-001",
    "error",
    "{item} at ranks {ranks} of query {query}",
    "each candidate once in a list",
    "Remove the repetition, or say --keep-first to keep its best rank.",
)
declare(
    "RNK-002",
    "error",
    "the score {found} for {item} of query {query}",
    "a finite number",
    "Correct the score.",
)
declare(
    "RNK-003",
    "error",
    "{found}",
    "a list: a|b|c, a JSON array or a Python list",
    "{advice}",
)
declare(
    "RNK-004", "error", "{found}", "a grade of relevance: a whole number from 0 to 1000", "Correct the cell."
)
declare(
    "RNK-005",
    "warning",
    "gold only as far as it is among the candidates",
    "",
    "Gold that no list contains cannot be known from this file: recall and nDCG are upper bounds. Give the "
    "queries or ranked-lists file beside it.",
)
declare(
    "RNK-006",
    "warning",
    "{n:,} of {n_queries:,} queries with gold and no list",
    "",
    "They count as 0 in every mean.",
)
declare(
    "RNK-007",
    "error",
    "{found}",
    "{expected}",
    "Correct the line of the run.",
)
declare(
    "RNK-008",
    "error",
    "{found}",
    "{expected}",
    "Correct the line of the qrels.",
)
declare("RNK-009", "error", "a {found} without its {missing}", "qrels and run together", "Give both files.")
declare(
    "RNK-010",
    "warning",
    "{n_joined:,} queries in {first} and in {second}, {n_only_first:,} only in the first and "
    "{n_only_second:,} only in the second",
    "the same queries in both",
    "What only one of them holds was not joined. Export both over the same queries, and check that ids are "
    "written alike (P1 and p1 are two).",
)
declare(
    "RNK-011", "warning", "{n:,} repeated candidates", "", "The best rank of each was kept, as you asked."
)

declare(
    "RNK-012",
    "error",
    "a judgement of {item} for topic {query} again; it stands in {first} already",
    "each document judged once a topic",
    "Remove one of the two {word}s.",
)
declare(
    "RNK-013",
    "error",
    "another gold for query {query} than in {first}",
    "the same gold for a query in every file",
    "Correct one of the files, or evaluate them one by one.",
)
declare(
    "RNK-014",
    "warning",
    "{n:,} gold candidates that are not gold in {other}",
    "",
    "Both are kept: gold is what either file says.",
)
declare(
    "RNK-015",
    "warning",
    "{n:,} queries with evidence and no gold among the candidates",
    "",
    "They stay in the mean and count as misses.",
)
declare(
    "RNK-016",
    "warning",
    "{n:,} queries without a scored candidate",
    "",
    "They have no score: they stay in the ranking metrics and are left out of the query-level ones.",
)
declare(
    "RNK-018",
    "error",
    "rank {rank} again for the query; {first} has it already",
    "each rank once in a list",
    "Correct one of the two rows.",
)
declare("RNK-017", "error", "{found}", "a rank: a whole number from 1 on", "Correct the cell.")
declare(
    "RNK-030",
    "warning",
    "ids between {found}, read as {ids}",
    "",
    "Detected: known ids stand between them, and no whole cell is one. To be sure write a|b|c.",
    names_ids=True,
)
declare(
    "RNK-031",
    "error",
    "no gold in any list of {model} (queries with both: {n:,}): the gold is {gold}, the lists hold {items}",
    "gold ids as the lists write them",
    "Compare how both write their ids: no id of the gold stands in any list of any query.",
    names_ids=True,
)
declare(
    "RNK-032",
    "warning",
    "no gold in any list of {model} (queries with both: {n:,}): the gold is {gold}, the lists hold {items}",
    "",
    "Every value of these lists is 0; make sure that both write their ids in the same way.",
    names_ids=True,
)
declare(
    "RNK-033",
    "error",
    "a row of the topic {topic}, beside rows of the topic {plain}",
    "a row, or a comment that cannot be taken for one",
    "Remove the line if it was taken out; a comment begins with # and a blank.",
)
declare(
    "RNK-034",
    "warning",
    "topics that begin with #, such as {topic}: {n:,}",
    "",
    "Their lines are read as rows; a comment begins with # and a blank.",
    names_ids=True,
)
declare(
    "RNK-120",
    "choice",
    "files of which each may be the judgements or a run: {found}",
    "a word on which file holds the judgements",
    "Say --truth FILE with the name of that file, choose it on the Data page, or write qrels into its name.",
)
declare(
    "RNK-121",
    "error",
    "the relevance {found} of {item} for topic {query}",
    "a grade of relevance: a whole number, as in 2 or 2.0",
    "Correct the grade.",
)
declare(
    "RNK-122",
    "error",
    "an object of several rankings: {found}",
    "one ranking, {{query: {{document: number}}}}",
    "Write the one that is meant into a file of its own.",
)
declare(
    "RNK-230",
    "error",
    "{n:,} runs in one file (tags {found}), both with query {query}",
    "one run in a file",
    "Split the file by its tags and give each run as a file of its own: each is a model.",
    names_ids=True,
)
declare(
    "RNK-310",
    "warning",
    "one score throughout each list of the first rows, beside ranks that tell an order",
    "",
    "The score decided, as in trec_eval, so that all are tied and the ranks play no part. Leave the score "
    "out, or write one that falls with the rank, such as 1/rank: then the ranks decide.",
)
declare(
    "RNK-231",
    "warning",
    "ranks that rise with the scores in every query of the first rows: the order of one is that of the other "
    "reversed",
    "",
    "The score decided, higher first. If it is a distance or a cost, write 1 − score or −score, or leave the "
    "score out: then the ranks decide.",
)
declare(
    "RNK-305",
    "error",
    "numbers or lists by name, of which no name is a query of {other}",
    "judgements or a run of the same queries",
    "Leave the file out if it holds settings; else check that ids are written alike (P1 and p1 are two), or "
    "say which file holds the judgements: --truth FILE.",
)
