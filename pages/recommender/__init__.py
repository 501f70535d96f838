"""Pages of the recommender task."""
