"""What the address of a page carries, and what of it a session takes."""
