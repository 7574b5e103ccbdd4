"""Benchmark files: take them in, browse and label what is there, ask it questions in SQL."""

import hashlib

import streamlit as st

from app import benchmarks, mapping_desk, presenters, session, state, workbench
from app.benchmarks import ColumnMapping
from app.formatting import DASH, show
from app.workbench import ImportedFile, StoreFault, template_csv
from models.measurements import Measurement
from models.problems import InputProblems

AS_IN_FILE = "as the file says"


def upload() -> None:
    """Take files in, say what was understood, and let the user say what they are about."""
    st.caption(
        "Recognised by content, whatever the file is called; prompts, answers and secrets found in files are "
        "dropped, not stored. Up to 50 MB a file here; the command line takes larger ones."
    )
    with st.expander("Which files are understood", key="formats"):
        presenters.bullets(workbench.format_labels())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.download_button(
            "CSV template",
            template_csv(),
            "plimsoll-template.csv",
            "text/csv",
            on_click="ignore",
            icon=":material/download:",
        )
        keep_in_session = st.toggle(
            "Keep in this session only",
            help="Gone when this page is reloaded. Otherwise everyone who uses this server sees it.",
        )
    files = (
        st.file_uploader("Benchmark files", accept_multiple_files=True, key=f"upload:{state.epoch()}") or []
    )
    named: dict[str, str] = {}
    for upload in benchmarks.together([(file.name, file.getvalue()) for file in files] + _pasted()):
        name, raw = upload.name, upload.raw
        place = hashlib.sha256(raw).hexdigest()
        if place in named:
            st.caption(f"{presenters.safe(name)} has the same content as {presenters.safe(named[place])}.")
            continue
        named[place] = name
        said = mapping_desk.said(place)
        imported = _imported(name, raw, mapping_desk.format_said(place), (*said, *_kept()))
        imported = benchmarks.said_together(imported, upload)
        with st.container(border=True):
            _show_import(imported)
            mapping_desk.columns(place, imported)
            if not imported.refused:
                _take(place, imported, keep_in_session)


def _pasted() -> list[tuple[str, bytes]]:
    """What was pasted, as a file like any other."""
    with st.expander(
        "Paste a table or what a benchmark printed", key="paste", icon=":material/content_paste:"
    ):
        text = st.text_area(
            "Table or printed result",
            key=f"pasted:{state.epoch()}",
            height=150,
            placeholder="===== Serving Benchmark Result =====\n...\nor a table, CSV or Markdown",
            persist_state="session",
        )
    return [("pasted text", text.encode("utf-8", "replace"))] if (text or "").strip() else []


def _kept() -> tuple[ColumnMapping, ...]:
    """What anybody on this server said of columns; nothing where the store cannot be read."""
    try:
        return benchmarks.kept_mappings(session.store())
    except StoreFault:
        return ()


@st.cache_data(max_entries=16, scope="session", show_spinner="Reading")
def _imported(
    name: str, raw: bytes, format_key: str | None, mappings: tuple[ColumnMapping, ...]
) -> ImportedFile:
    return workbench.import_contained(name, raw, format_key, mappings=mappings)


def _show_import(imported: ImportedFile) -> None:
    st.markdown(
        f"**{presenters.safe(imported.file_name)}** · "
        f"{presenters.safe(imported.format_label or 'not recognised')} · "
        f"{len(imported.measurements)} of {imported.rows_read} rows usable"
    )
    presenters.problems(imported.problems)
    presenters.table(
        [measurement_row(each) for each in imported.measurements[:200]], alt="Rows as understood", empty=""
    )


def measurement_row(each: Measurement) -> dict[str, str]:
    """One measured point as a row of a table."""
    load = each.concurrency_count if each.concurrency_count is not None else each.offered_rate_req_per_s
    return {
        "Tier": each.tier or DASH,
        "Model": each.model or DASH,
        "Accelerator": f"{each.accelerator_count or ''} {each.accelerator or DASH}".strip(),
        "Load": f"{each.load_kind or DASH} {'' if load is None else f'{load:g}'}".strip(),
        "ISL / OSL": f"{show('isl_tok', each.isl_tok)} / {show('osl_tok', each.osl_tok)}",
        "TTFT p50": show("ttft_s", each.ttft_s.middle),
        "TTFT p95": show("ttft_s", each.ttft_s.p95),
        "TPOT": show("tpot_s", each.tpot_s.middle),
        "E2E p95": show("e2e_s", each.e2e_s.p95),
        "Output": show("output_rate_tok_per_s", each.output_rate_tok_per_s),
        "Requests": DASH if each.request_count is None else str(each.request_count),
        "Failed": DASH if each.error_count is None else str(each.error_count),
    }


def _take(place: str, imported: ImportedFile, keep_in_session: bool) -> None:
    """Ask which tier the file measured, say what it would calibrate, then keep it."""
    labels = _offer_labels()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        about = st.selectbox(
            "These points measured",
            [AS_IN_FILE, *labels],
            format_func=lambda choice: labels.get(choice, choice),
            key=f"about:{place}",
        )
        loaded = _with_load(place, imported)
        asked = st.empty()
    tier, model = (None, None) if about == AS_IN_FILE else about.split("/", 1)
    agreed = _agreed(place, loaded, about)
    wanted = asked.button("Use these measurements", key=f"take:{place}", type="primary", disabled=not agreed)
    named = workbench.labelled(loaded, tier, model)
    offers = workbench.offers_measured(state.draft(), named)
    if offers:
        st.caption(f"Would calibrate {presenters.safe(', '.join(offer.tier.label for offer in offers))}.")
    else:
        st.warning("No tier of this scenario matches these points: choose above which tier they measured.")
    if wanted:
        _keep(
            place,
            loaded,
            named,
            (tier, model),
            in_session=keep_in_session,
            says_load=loaded is not imported,
        )


def _agreed(place: str, imported: ImportedFile, about: str) -> bool:
    """Whether the file itself agrees with the tier chosen, or the user says that it is so all the same."""
    seen = session.view()
    if seen is None or about == AS_IN_FILE:
        return True
    offer = seen.offer(about)
    said = workbench.contradictions(offer.tier, offer.model.id, imported.measurements)
    if not said:
        return True
    st.warning(presenters.safe(f"The points say otherwise: {'; '.join(said)}."))
    return st.checkbox(
        f"They stand for {presenters.safe(offer.tier.label)} all the same", key=f"relabel:{place}:{about}"
    )


def _with_load(place: str, imported: ImportedFile) -> ImportedFile:
    """The file with the load that the user says, where some of its runs name none."""
    if not any(map(benchmarks.lacks_load, imported.measurements)):
        return imported
    count: float | None = st.number_input(
        "Requests in flight",
        min_value=0.01,
        max_value=1e6,
        value=None,
        placeholder="the file does not say",
        key=f"load:{place}",
        help="Of the runs that name no load. Without it they are kept and shown, and no curve uses them.",
    )
    return benchmarks.with_load(imported, count, None)


def _offer_labels() -> dict[str, str]:
    """The scenario's offers by `tier/model`, as the other pages name them."""
    seen = session.view()
    if seen is None:
        return {f"{tier}/{model}": tier for tier, model in state.offer_ids(state.draft())}
    return {offer.id: f"{offer.tier.label} · {offer.model.label}" for offer in seen.scenario.offers}


def _keep(
    place: str,
    imported: ImportedFile,
    named: ImportedFile,
    words: tuple[str | None, str | None],
    *,
    in_session: bool,
    says_load: bool,
) -> None:
    """Keep a file with what the user says it measured; say what it will change."""
    try:
        if in_session:
            state.keep_in_session(named)
            done = "kept in this session"
        else:
            said = mapping_desk.said(place)
            saved = benchmarks.store_file(
                session.store(), imported, session.who(), said=bool(said) or says_load
            )
            benchmarks.keep_said(session.store(), said, session.who())
            if words[0]:
                session.store().label(saved.source_id, tier=words[0], model=words[1])
            done = "stored before; nothing was added twice" if saved.already_there else "stored"
    except StoreFault as fault:
        presenters.fault(fault)
        return
    except InputProblems as problems:
        presenters.problems(problems.problems)
        return
    points = presenters.counted(len(imported.measurements), "point")
    st.success(f"{presenters.safe(imported.file_name)}: {points}, {done}.")
    if workbench.offers_measured(state.draft(), named):
        st.caption("See them on Concurrency; Overview says what they change.")
