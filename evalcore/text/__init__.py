"""How values and texts are written where people read them."""
