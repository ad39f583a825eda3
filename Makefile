# make book · lab · torch · check · test · new-chapter · sheet · notebooks · workbook · model · serve · mutants · bench · bench-page · clean
PYTHON ?= python3
BIN := .venv/bin
SITE := _build/html

.PHONY: book lab torch check test new-chapter sheet notebooks workbook model serve mutants bench bench-page clean

book: .venv/building
	$(BIN)/jupyter-book build . -W -n --keep-going --all -q
	@echo "Open $(SITE)/index.html in a browser, or run: make serve"

# One chapter: make check CHAPTER=02
check: .venv/installed
	$(BIN)/python tools/check.py $(CHAPTER)

# Everything, or some tiers: make test TIER="mathematics notebooks"
test: .venv/installed
	-$(BIN)/python -m attnlib.data.published all
	$(BIN)/python tools/test.py $(TIER)

# make new-chapter N=05 NAME=many_queries
new-chapter: .venv/installed
	$(BIN)/python tools/new_chapter.py "$(N)" "$(NAME)"

# Practice on paper: make sheet CHAPTERS=02,04 STUDENTS=30 SEED=7
sheet: .venv/installed
	$(BIN)/python tools/sheet.py "$(CHAPTERS)" "$(STUDENTS)" "$(SEED)"

mutants: .venv/installed
	$(BIN)/python tools/mutate.py

# The language model of chapter 22, 93 MB, once; NAME=all fetches the deeper page's, too
model: .venv/building
	$(BIN)/python -m attnlib.data.published $(NAME)

serve: book
	$(BIN)/python -m http.server 8000 --bind 127.0.0.1 --directory $(SITE)

notebooks: .venv/installed
	$(BIN)/python tools/notebooks.py

# Copies of the chapters, to write in; what is there is never written over
workbook: .venv/lab
	$(BIN)/python tools/workbook.py

lab: workbook
	$(BIN)/jupyter lab workbook

# For the deeper pages that train
torch: .venv/building
	$(BIN)/python -m pip install --quiet $$(grep ^torch== requirements.txt) -c constraints.txt

bench: .venv/installed
	$(BIN)/python -m benchmarks.one_core

bench-page: .venv/installed book
	$(BIN)/python tools/bench_page.py $(CHAPTER)

# What building the site needs; JupyterLab comes on top, and all the rest, PyTorch among it
.venv/building: book/requirements.txt constraints.txt pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet -r book/requirements.txt -c constraints.txt -e .
	touch $@

.venv/lab: .venv/building requirements.txt
	$(BIN)/python -m pip install --quiet $$(grep ^jupyterlab== requirements.txt) -c constraints.txt
	touch $@

.venv/installed: .venv/building requirements.txt
	$(BIN)/python -m pip install --quiet -r requirements.txt -c constraints.txt
	touch $@

clean:
	rm -rf _build build *.egg-info
	find . -name __pycache__ -not -path './.venv/*' -prune -exec rm -rf {} +
