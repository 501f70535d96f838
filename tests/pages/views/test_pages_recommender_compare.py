"""Compare recommenders: differences of the core for two models, and every two of three after Holm."""

from evalcore.compare import compare_recommendations, matrix
from tests.pages.views.recommended import made, opened, said


def test_two_models_are_answered_drawn_and_tabled():
    app = opened("compare")
    text = said(app)
    found = compare_recommendations(made(), "popular", "close", k=10).table
    row = found[found["metric"] == "recommender.ndcg"].iloc[0]
    assert f"<td>nDCG@10</td><td>{row['first']:.4f}</td><td>{row['second']:.4f}</td>" in text
    assert "60 users compared; none fell out." in text
    assert len(app.get("plotly_chart")) == 1
    assert "9,999 swaps of the two models user by user" in text


def test_every_two_of_three_stand_in_a_table_with_adjusted_p():
    app = opened("compare")
    text = said(app)
    rows = matrix(made(), "recommender.ndcg", k=10).of().to_dict("records")
    assert len(rows) == 3
    assert "nDCG@10, adjusted over 3 pairs: " in text
    for row in rows:
        sign = "−" if row["difference"] < 0 else "+"
        assert f"{sign}{abs(row['difference']):.4f} (p " in text
    assert "after Holm over 3 pairs" in text


def test_pair_k_and_metrics_of_the_link_are_used():
    app = opened("compare", **{"from": "noisy", "to": "popular", "k": "5", "more": "recommender.arp"})
    text = said(app)
    found = compare_recommendations(made(), "noisy", "popular", k=5, metrics=("recommender.arp",)).table
    assert (
        f"<td>{found['first'].iloc[0]:.4f}</td>" in text or f"<td>{found['first'].iloc[0]:.1f}</td>" in text
    )
    assert "<td>ARP@5</td>" in text


def test_groups_of_users_and_of_items_are_adjusted_by_holm():
    text = said(opened("compare", by="user_group"))
    assert "adjustment over 2 groups" in text
    assert "<td>old</td>" in text
    text = said(opened("compare", by="item_group", more="recommender.rsp"))
    assert "adjustment over 3 groups" in text


def test_one_model_is_told_what_a_comparison_needs():
    app = opened("compare", made(models=("close",)))
    assert "These data hold one model only: a comparison needs two." in said(app)
    assert len(app.get("plotly_chart")) == 0


def test_two_models_have_no_table_of_pairs():
    assert "adjusted over" not in said(opened("compare", made(models=("close", "noisy"))))
