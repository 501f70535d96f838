"""Labels of people, as annotation tools export them."""
