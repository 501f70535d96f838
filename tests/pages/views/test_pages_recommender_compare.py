"""Compare recommenders: differences of the core for two models, and every two of three after Holm."""

import re

import pytest

from evalcore.compare import compare_recommendations, matrix
from evalcore.text.numerals import number, signed
from pages.shared.data import session
from tests.pages.views.recommended import made, opened, said


def test_two_models_are_answered_drawn_and_tabled():
    app = opened("compare")
    text = said(app)
    found = compare_recommendations(made(), "popular", "close", k=10).table
    row = found[found["metric"] == "recommender.ndcg"].iloc[0]
    assert f"<td>nDCG@10</td><td>{number(row['first'])}</td><td>{number(row['second'])}</td>" in text
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
        ends = " to ".join(signed(row[end], 4) for end in ("ci_low", "ci_high"))
        difference = re.escape(signed(row["difference"], 4))
        assert re.search(rf"<td[^>]*>{difference}(\u00a0\*)? \[{re.escape(ends)}\] \(p\u00a0", text)
    assert "after Holm over 3 pairs" in text


def test_pair_k_and_metrics_of_the_link_are_used():
    app = opened("compare", **{"from": "noisy", "to": "popular", "k": "5", "more": "recommender.arp"})
    text = said(app)
    found = compare_recommendations(made(), "noisy", "popular", k=5, metrics=("recommender.arp",)).table
    assert (
        f"<td>{number(found['first'].iloc[0])}</td>" in text
        or f"<td>{found['first'].iloc[0]:.1f}</td>" in text
    )
    assert "<td>ARP@5</td>" in text


@pytest.mark.long
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


def test_one_model_is_compared_with_that_of_a_second_upload_until_it_is_removed():
    one, two = made(models=("close",)), made(models=("noisy",))
    app = opened("compare", one)
    (field,) = app.file_uploader
    assert field.label == "Files"
    app.session_state["recommender_second"] = session.SessionData(
        two, "theirs.csv", is_sample=False, key="other"
    )
    app.run()
    assert not app.exception
    text = said(app)
    assert "Compared with the second upload: theirs.csv." in text
    (found,) = (
        compare_recommendations(one, other=two, metrics=("recommender.recall",)).table.head(1).itertuples()
    )
    assert f"<td>{number(found.first)}</td><td>{number(found.second)}</td>" in text
    assert app.query_params["second"] == [two.digest[:8], "theirs.csv"]
    app.button(key="recommender_second_remove").click().run()
    assert "These data hold one model only" in said(app)


def test_lists_alone_are_judged_by_the_test_of_the_data_in_use():
    lists = "user,item,rank\n" + "".join(
        f"u{user},{user % 30},1\nu{user},{(user + 1) % 30},2\n" for user in range(60)
    )
    app = opened("compare", made(models=("close",)))
    app.file_uploader[0].set_value([("theirs.csv", lists.encode(), "text/csv")]).run()
    app.button(key="recommender_second_use").click().run()
    assert not app.exception
    text = said(app)
    assert "Compared with the second upload: theirs.csv." in text
    assert "Recall@10" in text
