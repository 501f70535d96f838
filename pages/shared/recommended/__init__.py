"""What the recommender pages share."""
