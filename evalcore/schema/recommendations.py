"""The tables of recommendations: lists, scores of all items, interactions, groups and features."""

from __future__ import annotations

from evalcore.schema.kinds import Column, TableKind

_USER = Column(
    "user_id",
    "the user's id",
    "id",
    (
        "user_id",
        "userid",
        "user",
        "u",
        "uid",
        "user_idx",
        "customer_id",
        "visitor_id",
        "visitorid",
        "reviewer_id",
        "reviewerid",
        "session_id",
    ),
    required=True,
)
_ITEM_NAMES = (
    *("item_id", "itemid", "item", "i", "iid", "item_idx", "movie_id", "movieid", "movie"),
    *("product_id", "article_id", "track_id", "song_id", "artist_id", "book_id", "isbn", "asin"),
    *("business_id", "parent_asin", "news_id", "video_id"),
)
_ITEM = Column("item_id", "the item's id", "id", _ITEM_NAMES, required=True)
PREDICTED = (
    *("prediction", "predicted_rating", "pred_rating", "predicted_score", "pred_score"),
    *("est", "pred", "y_pred"),
)
"""Names of scores that no interactions have."""
_SCORE = Column(
    "score",
    "the score of the item for the user, higher is better",
    "number",
    ("score", *PREDICTED, "value"),
)
_RATING = Column(
    "rating",
    "the true rating of the item by the user; relevant is what lies above 0",
    "number",
    ("rating", "r_ui", "true_rating", "weight", "interaction", "relevance", "label"),
)
_MODEL = Column(
    "model",
    "the model that made the list",
    "name",
    ("model", "algorithm", "algo", "recommender", "model_name", "run", "system"),
)
_CLUSTER_NAMES = ("cluster", "group", "cluster_id", "group_id")

LISTS = TableKind(
    "lists",
    "one row per user and recommended item, with its score or rank",
    (
        _USER,
        _ITEM,
        _SCORE,
        Column("rank", "the rank of the item, from 1", "number", ("rank", "position")),
        _RATING,
        _MODEL,
    ),
)
SCORES = TableKind(
    "scores",
    "one row per user and item of the catalogue, with its score",
    (_USER, _ITEM, Column(_SCORE.role, _SCORE.meaning, "number", _SCORE.names, required=True), _MODEL),
)
_OTHER_RATINGS = (
    *("ratings", "rating_value", "stars", "overall", "grade", "preference", "feedback", "target", "y"),
    *("relevant", "is_relevant", "rel", "click", "clicked", "is_click", "liked", "is_liked"),
    *("purchase", "purchased", "play_count", "plays", "implicit"),
)
"""Names of ratings that are clear beside a user and an item where nothing is predicted."""
_INTERACTION = (
    _USER,
    _ITEM,
    Column(_RATING.role, _RATING.meaning, "number", (*_RATING.names, *_OTHER_RATINGS, "value", "score")),
)
TRAIN = TableKind(
    "train", "one row per user and item of the interactions that a model was fitted to", _INTERACTION
)
TEST = TableKind(
    "test", "one row per user and item of the interactions that lists are judged by", _INTERACTION
)
USER_GROUPS = TableKind(
    "user_groups",
    "one row per user with the group of the user",
    (
        Column(_USER.role, _USER.meaning, "id", (*_USER.names, "id"), required=True),
        Column("cluster", "the group; 0 or empty: unknown", "name", (*_CLUSTER_NAMES, "user_group")),
    ),
)
_OF_ITEMS = Column(_ITEM.role, _ITEM.meaning, "id", (*_ITEM_NAMES, "id"), required=True)
SCORE_USERS = TableKind(
    "score_users", "the ids of the rows of a matrix of scores, in their order", (USER_GROUPS.columns[0],)
)
SCORE_ITEMS = TableKind(
    "score_items", "the ids of the columns of a matrix of scores, in their order", (_OF_ITEMS,)
)
ITEM_GROUPS = TableKind(
    "item_groups",
    "one row per item with the group of the item",
    (
        _OF_ITEMS,
        Column("cluster", "the group; 0 or empty: unknown", "name", (*_CLUSTER_NAMES, "item_group")),
    ),
)
ITEM_FEATURES = TableKind(
    "item_features",
    "one row per item with its features: columns of 0 and 1, or a list a|b|c",
    (
        _OF_ITEMS,
        Column(
            "features",
            "the features of the item, a|b|c",
            "list",
            ("features", "genres", "genre", "categories", "category", "class", "tags", "topics"),
        ),
    ),
)
