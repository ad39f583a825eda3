// Compile the Python files of a zip archive with the page's own Python, for `tools/vendor.py`:
//     node compile_python.js FOLDER_OF_PYODIDE SOURCES.zip COMPILED.zip
const fs = require("fs");
const [folder, sources, compiled] = process.argv.slice(2);
const PROGRAM = `
import importlib.util, marshal, struct, zipfile

# Marked as checked by nobody: the build takes the compiled file for its source.
head = importlib.util.MAGIC_NUMBER + struct.pack("<I", 1)
with zipfile.ZipFile("/sources") as read, zipfile.ZipFile("/compiled", "w") as written:
    for name in sorted(read.namelist()):
        text = read.read(name)
        of_numpy = name.startswith("numpy")
        code = compile(text, name, "exec", dont_inherit=True, optimize=0 if of_numpy else 2)
        entry = zipfile.ZipInfo(name + "c")
        entry.compress_type = zipfile.ZIP_DEFLATED
        written.writestr(entry, head + importlib.util.source_hash(text) + marshal.dumps(code))
`;
(async () => {
  const python = await require(`${folder}/pyodide.js`).loadPyodide();
  python.FS.writeFile("/sources", fs.readFileSync(sources));
  python.runPython(PROGRAM);
  fs.writeFileSync(compiled, python.FS.readFile("/compiled"));
})();
