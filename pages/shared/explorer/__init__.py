"""The threshold explorer as a widget of Streamlit."""
