/** Runs the program beside it, `<name>.code.cjs`, from its compiled code where that is there (see build-program.mjs). */
const { readFileSync, renameSync, writeFileSync } = require('node:fs')
const { Script } = require('node:vm')

const file = __filename.replace(/\.cjs$/, '.code.cjs')
const compiled = `${file}.compiled`
let cachedData
try {
  cachedData = readFileSync(compiled)
} catch {
  process.on('exit', () => {
    const draft = `${compiled}.${process.pid}`
    try {
      writeFileSync(draft, script.createCachedData())
      renameSync(draft, compiled)
    } catch {
      // The build is removed.
    }
  })
}
const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'utf8')}\n})`
const script = new Script(text, { filename: file, cachedData })
script.runInThisContext()(exports, require, module, file, __dirname)
