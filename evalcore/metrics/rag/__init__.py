"""Retrieved chunks and generated answers by what annotators said of them (document 003).

Every function returns a value per query or answer; the metric is the mean over those that have one. A label
on which annotators are tied is left out, a panel that is not wholly annotated is skipped; both are counted.
"""
