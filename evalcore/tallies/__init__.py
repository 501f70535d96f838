"""Small summaries of the data from which every metric follows; they merge, weigh and break down."""
