"""JSON and JSON Lines as tables."""
