/** Everyday look-ups of the offline provider in data and settings, and where it says that it does not know. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ask } from './fixtures/ask-offline.ts'
import { checkCitations } from './fixtures/check-citations.ts'
import { folderOf } from './fixtures/folder-of.ts'

const test = suite('what the offline provider looks up')
const NO_ANSWER = /^I could not answer this(?:: |\. )/

const SHED = folderOf({
  'a.csv': 'name,amount\na,3\nb,4\n',
  'bare.csv': '1,2\n3,4\n',
  'split.csv': 'name,text\na,"one\ntwo"\n',
  'app.yml':
    'port: 8080 # of the server\ndb:\n  host: "db.local"\n  pool:\n    size: 5\ncache:\n  host: cache.local\nusers:\n  - ada\n',
  'svc.toml': 'title = "Shed"\n\n[server]\nport = 9090\nmaxBodySize = "2mb"\n',
  'app.ini': '[log]\nlevel = warn\n',
  '.env': 'export API_URL=https://example.test\n',
  'data.json': '{\n  "limits": { "retries": 3 },\n  "version": 2\n}\n',
  'package.json':
    '{\n  "name": "shed",\n  "version": "1.0.0",\n  "sideEffects": false,\n  "license": "MIT",\n  "dependencies": { "plug-in": "^1.0.0" }\n}\n',
  'lib/shapes.js':
    'class Base {}\nconst Square = class extends Base {}\nclass Circle extends Base {}\nmodule.exports = { Base, Square, Circle }\n',
  'lib/draw.js':
    "/** Draws a shape on the shed. */\nfunction drawShape(shape) {\n  const marginWidth = shape.marginWidth\n  return marginWidth\n}\nmodule.exports = { drawShape }\nconst fs = require('fs'), shapes = require('./shapes')\nconst plugin = require('plug-in')\n",
  'lib/index.js':
    "const { drawShape } = require('./draw')\nfunction paint() {\n  drawShape()\n}\nmodule.exports = { paint }\n",
  'test/all.js': "require('../lib')\n",
  'home/.npm/_logs/debug.md': 'The zebra crossing is closed.\n',
  'logs/today.log': 'The zebra crossing is closed.\n',
})

for (const [question, expected] of [
  ['What is the port in app.yml?', '`port` is `8080` in `app.yml` (app.yml:1)'],
  ['Welchen port hat app.yml?', '`port` is `8080` in `app.yml` (app.yml:1)'],
  ['What is the db host in app.yml?', '`db.host` is `db.local` in `app.yml` (app.yml:3)'],
  ['What is `db.pool.size` in app.yml?', '`db.pool.size` is `5` in `app.yml` (app.yml:5)'],
  ['What is the server port in svc.toml?', '`server.port` is `9090` in `svc.toml` (svc.toml:4)'],
  ['What is the max body size in svc.toml?', '`server.maxBodySize` is `2mb` in `svc.toml` (svc.toml:5)'],
  ['What is log.level in app.ini?', '`log.level` is `warn` in `app.ini` (app.ini:2)'],
  ['What is API_URL in .env?', '`API_URL` is `https://example.test` in `.env` (.env:1)'],
  ['What is limits.retries in data.json?', '`limits.retries` is `3` in `data.json` (data.json:2)'],
  ['What version is in data.json?', '`version` is `2` in `data.json` (data.json:3)'],
  ['What is sideEffects in package.json?', '`sideEffects` is `false` in `package.json` (package.json:4)'],
  ['How many rows does a.csv have?', '`a.csv` has 2 rows below its header `name,amount` (a.csv:1-3)'],
  ['How many rows does bare.csv have?', '`bare.csv` has 2 rows, and no header (bare.csv:1-2)'],
  ['Is 17*23 = 392?', 'No: 17*23 = 391'],
  ['Is 17*23 equal to 391?', 'Yes: 17*23 = 391'],
] as const)
  test(`answers: ${question}`, async () => {
    const { text } = await ask(SHED, question)
    assert.is(text, expected)
    checkCitations(SHED, text)
  })

for (const question of [
  'What is the host in app.yml?',
  'What is the timeout in app.yml?',
  'What is the user in app.yml?',
  'How many rows does split.csv have?',
  'What is the roadmap of drawShape?',
  'How much memory does drawShape use?',
  'Which benchmark results are given for drawShape?',
  'What does marginWidth do?',
  'Which function calls drawShape?',
  'What is the license of the plug-in dependency?',
  'How many files import plug-in?',
  'What would break if I removed lib/draw.js?',
  'What does lib/draw.js import from lib/shapes.js?',
])
  test(`says that it does not know: ${question}`, async () => {
    const { text } = await ask(SHED, question)
    assert.match(text, NO_ANSWER)
  })

test('answers each part of a task by itself', async () => {
  const { text } = await ask(SHED, 'Report the amounts in a.csv; report the port in app.yml')
  assert.match(text, /name,amount/)
  assert.match(text, /`port` is `8080` in `app\.yml` \(app\.yml:1\)/)
  assert.not.match(text, /cache/)
})

test('names all that a file imports, and each kind of it alone', async () => {
  const all = await ask(SHED, 'What does lib/draw.js import?')
  for (const name of ['fs', './shapes', 'plug-in']) assert.ok(all.text.includes(`imports \`${name}\``), all.text)
  const foreign = await ask(SHED, 'Which third-party packages does lib/draw.js import?')
  assert.is(foreign.text, '`lib/draw.js` imports `plug-in` (lib/draw.js:8)')
  const built = await ask(SHED, 'Which Node built-in modules does lib/draw.js import?')
  assert.is(built.text, '`lib/draw.js` imports `fs` (lib/draw.js:7)')
})

test('tells what uses a package from what the package needs', async () => {
  const { text } = await ask(SHED, 'What uses plug-in?')
  assert.match(text, /^1 file uses `plug-in` \(lib\/draw\.js:8\)/)
})

test('finds a folder that is imported for its index', async () => {
  const { text } = await ask(SHED, 'Which files import lib/index.js?')
  assert.match(text, /^1 file uses/)
  assert.match(text, /test\/all\.js:1/)
})

test('counts classes that extend another without a name of their own', async () => {
  const { text } = await ask(SHED, 'How many classes extend Base?')
  assert.match(text, /^2 classes extend/)
})

test('quotes neither hidden folders nor logs', async () => {
  const { text } = await ask(SHED, 'Why is the zebra crossing closed?')
  assert.match(text, NO_ANSWER)
  assert.not.match(text, /_logs|today\.log/)
})

test.run()
