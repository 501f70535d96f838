"""The files of ``sample_data``, known by their bytes: what is made of them says that it is synthetic."""

from __future__ import annotations

from dataclasses import replace

from evalcore.data import Data

NOTE = "Synthetic: no row stems from a real post."
SHA256 = {
    "candidates.parquet": "61d18237b2d5419f2d7f9f38a42060a204106d74d9875e5cec99645b106f4b91",
    "queries.csv": "cc464b0940404f4c6b8925cbf4928fa751eebedf58155ad18aafba34415d7ce4",
    "rag/annotation_export.meta.json": "61df73bb0c314632af92b917b02f91160d70d6b7fe01ab554fb11f62b867bf4a",
    "rag/generation.csv": "66a45f0213bb9b8029a9b2c2a8b85c011ef8a9c775106f267b200e2a0b0b29e9",
    "rag/grounding.csv": "a0d6bdef91ee781dd43e4864954f5cfc1c8ef376543fd07c9a70ae1cc82b7fdf",
    "rag/predictions.csv": "db1e3c969a8169c04395c5172b414b9e220fe5061e410528ae8eff9555620041",
    "rag/retrieval.csv": "892aa60ba8a2502fd068f43ff496b27cdbfaa6b0678689f5cd006a17519178ea",
    "ranked_lists.csv": "cb0b97ace0d6fd634a9799bbefea76805052fe7891fe2fbb32204f2f3be423d2",
    "recommender/item_features.csv": "20668c9c28ea859d49bef969f4e9a9ca24861a5100ec7fd17b93a272d1425556",
    "recommender/item_groups.csv": "f9310c470f5a02ecbb3a5ddf1f119e1b30d71002d2c36f47f7782b0098da6bdc",
    "recommender/lists.csv": "c56d6f2bb60a5adff95141be113fd0c438e02ce3aa05058dce8cfe5aa3dad531",
    "recommender/scores_popularity.npz": "1dfdeaad1a670779eddc97ebdcf84a9e1b1d1ffe4069ffbf5b8aab987c4ac32f",
    "recommender/scores_two_towers.npz": "0c81661828aa2d85d4e6afc125c65aebf581378bdd8a3e99980a29f5c77e7d36",
    "recommender/test.csv": "80dd205a8968f7236b630e828536b175af0b08297e59ff79497bbdd3bb782de7",
    "recommender/train.csv": "b61bdfcefe0e322ec23becabe65beee2e71f871866d7bbbd3237517aa45c9088",
    "recommender/user_groups.csv": "6572eabfdaf3c3f2c74fb5c210a29ba374110e0c37837480f21424f583dcd831",
    "small/ten_rows.csv": "c7a3a98cc346e5e1cd3445d4d8000ea817dc07f27be3f851deb4833bac57a415",
}
"""File → digest, of every file of ``sample_data`` that can be loaded."""


def with_origin(data: Data) -> Data:
    """The data, with the fact ``synthetic`` and a note where a source is a file of the sample."""
    if frozenset(SHA256.values()).isdisjoint(source.sha256 for source in data.sources):
        return data
    return replace(data, notes=(*data.notes, NOTE), facts={**data.facts, "synthetic": True})
