"""How is that worked out?"""

import streamlit as st

from app import method_desk

st.title("Method")
st.subheader("How each kind of tier is modelled")
method_desk.architectures()
st.subheader("Formulas")
method_desk.formulas()
st.subheader("Vocabulary")
method_desk.vocabulary()
