"""Evaluation of files a chunk of rows at a time, on this machine or on a cluster."""
