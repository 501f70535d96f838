"""What an uploaded file must hold: the columns of each kind of table, and templates to fill in."""

import streamlit as st

from evalcore.schema import TABLES, TableKind
from pages.shared import widgets
from pages.shared.data import session

FORMATS = {
    "queries": "Predictions",
    "ranked_lists": "Ranked lists",
    "candidates": "Candidates",
    "annotations": "RAG annotations",
    "truth": "Truth",
    "qrels": "Judgements (qrels)",
    "run": "Run",
    "lists": "Recommendation lists",
    "scores": "Scores of all items",
    "train": "Train interactions",
    "test": "Test interactions",
    "user_groups": "Groups of users",
    "item_groups": "Groups of items",
    "item_features": "Features of items",
}
BESIDE = {
    "lists": "Give the test interactions with them and, where there are any, the train interactions, groups "
    "of users and of items, features of items, and scores of all items (a matrix or a table). What a file "
    "is, its name says (train.csv, test.csv, user_groups.csv, item_groups.csv, item_features.csv, "
    "scores.npz), or you do.",
    "test": "Train interactions look the same.",
}
"""Kind of table → what stands beside it, where its other columns are not read."""
ADJUDICATED = "_adjudicated"
TEMPLATES = {
    "queries": (session.SAMPLE.parent / "small" / "ten_rows.csv").read_text(),
    "ranked_lists": """post_id,criterion_id,gold_ids,reranked_topk
post_1,A.1,post_1_4,post_1_2|post_1_4|post_1_7
post_1,A.9,,post_1_7|post_1_2
""",
    "candidates": """post_id,criterion_id,sent_uid,is_gold,score
post_1,A.1,post_1_2,0,-0.31
post_1,A.1,post_1_4,1,1.8
post_1,A.9,post_1_7,0,-2.4
""",
    "annotations": """record_uuid,annotator_id,chunk_id,chunk_rank,n_retrieved_chunks,topically_relevant
answer_1,ann_a,chunk_1,1,2,true
answer_1,ann_b,chunk_1,1,2,
answer_1,ann_a,chunk_2,2,2,false
""",
    "lists": """user_id,item_id,score,model
user_1,item_7,0.93,bpr
user_1,item_2,0.41,bpr
user_2,item_7,0.88,bpr
""",
    "test": """user_id,item_id,rating
user_1,item_2,4
user_2,item_9,5
""",
}


def show_formats() -> None:
    """What a file must hold, a tab for each kind, with a template to fill in."""
    for tab, (name, template) in zip(
        st.tabs([FORMATS[name] for name in TEMPLATES]), TEMPLATES.items(), strict=True
    ):
        with tab:
            show_format(TABLES[name], template)


def show_format(kind: TableKind, template: str) -> None:
    """The columns of one kind of table."""
    shown = [column for column in kind.columns if not column.role.endswith(ADJUDICATED)]
    also = f" A label may have a column with its name and {ADJUDICATED}, too: what an adjudicator decided."
    others = BESIDE.get(kind.name, "Other columns can be broken down by.")
    widgets.plain(
        f"{kind.row[0].upper()}{kind.row[1:]}. {others}" + (also if len(shown) < len(kind.columns) else "")
    )
    widgets.table(
        ("column", "what it holds", "also read as"),
        [
            (
                f"`{column.role}`{' (needed)' if column.required else ''}",
                column.meaning,
                ", ".join(f"`{name}`" for name in column.names if name != column.role),
            )
            for column in shown
        ],
        name=f"Columns of {kind.name}",
        has_code=True,
    )
    st.download_button(
        f"Template {kind.name}.csv",
        template,
        file_name=f"{kind.name}.csv",
        mime="text/csv",
        on_click="ignore",
    )
