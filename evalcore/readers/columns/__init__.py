"""What columns are: roles, ids, labels, scores, lists."""
