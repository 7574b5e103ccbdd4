"""Which plans did I keep?"""

import streamlit as st

from app import shelf_desk

st.title("Scenarios")
shelf_desk.keep()
shelf_desk.listed()
