"""From rows to the tallies of every cell: gathered, merged, finished."""
