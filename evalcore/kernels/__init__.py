"""What several families share, computed once: bins of scores, logistic fits, smoothing."""
