"""What pages that compare models share."""
