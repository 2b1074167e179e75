/** S33: a person is asked before a file is written that something else runs or obeys later. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { attackWithout } from '../../../.tools/weakened.mjs'
import { ALWAYS_ASKED } from '../../src/tools/programs/always-ask-list.ts'
import { createShell } from '../../src/tools/programs/run-command.ts'
import { ProgramRunner } from '../../src/tools/sandbox/program-runner.ts'
import { createContext, createWorkspace } from '../fixtures/tool-context.ts'
import { kindsHere } from './s30-attack.ts'
import { attack, OBEYED, VARIANTS, writtenUnasked } from './s33-attack.ts'

const test = suite('S33 files that are obeyed')

/** A page, a file of a repository or of a package, or whose manual was not opened. */
const SOURCE = /^(?:https:\/\/\S+|[\w.-]+\/[\w.-]+ \S+|(?:debian|npm) \S+@[\w.]+ \S+|not opened: .+)$/
const names = ALWAYS_ASKED.flatMap(([line]) => line.split(' '))

test('no file that editors, agents, package managers, builds or services obey is written unasked', async () => {
  assert.equal(await attack(), [])
})

test('nor by another spelling, or in a folder', async () => {
  assert.equal(await writtenUnasked(OBEYED.flatMap(VARIANTS)), [])
})

test('each name of the list asks, has its source, and stands there once', async () => {
  const paths = names.map((name) => (name.endsWith('/') ? `${name}x` : name.replaceAll('*', 'x')))
  assert.equal(await writtenUnasked(paths), [])
  for (const [line, source] of ALWAYS_ASKED) {
    assert.match(source, SOURCE, line)
    assert.is(line, line.toLowerCase())
  }
  assert.is(new Set(names).size, names.length)
})

test('without the list they are written', async () => {
  const weakened = { file: 'plugins/src/tools/programs/always-ask.ts', name: 'whyAsk', weaken: '() => () => undefined' }
  assert.equal(await attackWithout('plugins/test/security/s33-attack.ts', [weakened]), OBEYED)
})

test('documents and sources are written without a question where a rule allows it', async () => {
  const paths = (
    'README.md docs/agents.html docs/claude.txt notes.md src/index.ts src/app.config.ts src/config.ts src/vite.ts lib/eslint.js ' +
    'tests/a.test.ts app/models.py tasks.py main.go src/lib.rs src/Main.java styles/a.css index.html data.json tsconfig.json ' +
    '.editorconfig .gitignore LICENSE Build.md package.ts src/package/index.ts a.pthx makefile.md compose.ts path.th github/a.yml ' +
    'src/agent.py docs/skills.md src/dune.ml src/cucumber.ts desktop.md hg/a.md bundle/index.js src/config.rs locks/uv.md'
  ).split(' ')
  assert.equal(await writtenUnasked(paths), paths)
})

const [kind] = await kindsHere()
if (kind !== undefined) {
  test('a program that runs unasked makes none of them right in the workspace', async () => {
    const { workspace } = await createWorkspace()
    const shell = createShell(new ProgramRunner({ sandbox: kind, guarded: { folders: [], programs: [] } }))
    const right = OBEYED.map((path) => path.split('/')[0] ?? '').filter((name) => !['venv', 'gradle'].includes(name))
    const script = [...new Set(right)].map((name) => `echo evil > ${name}`).join('\n')
    await shell.run({ script: `${script}\necho fine > fine.md` }, createContext(workspace))
    assert.equal(
      right.filter((name) => existsSync(join(workspace, name))),
      [],
    )
    assert.ok(existsSync(join(workspace, 'fine.md')))
  })
}

test.run()
