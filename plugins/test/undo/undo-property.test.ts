/** Whatever a run does to a folder by tools and programs, undo gives it back byte for byte. */
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findSandbox } from '../../src/index.ts'
import type { Called } from '../fixtures/call-tools.ts'
import { createUndoable, sh, treeOf, write } from './undoable.ts'

const test = suite('undo of any sequence of changes')

const SAMPLES = process.env.SVC_NIGHTLY === undefined ? 12 : 200
const PATHS = ['a', 'b.txt', 'sub', 'sub/c', 'sub/d.txt', 'sub/deep/e', 'x y/ü'] as const
const START = {
  'b.txt': 'one\r\ntwo\r\n',
  'sub/c': '\uFEFFmarked',
  'sub/d.txt': new Uint8Array([0, 1, 255, 10]),
  'e/': '',
}

const path = fc.constantFrom(...PATHS)
const text = fc.constantFrom('', 'one', 'two\n', 'three\r\nfour', 'é', '\0', '\uFEFFx')
const quoted = (words: string): string => `'${words}'`

const change: fc.Arbitrary<Called> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(path, text).map(([at, content]) => write(at, content)) },
  fc.tuple(path, text).map(([at, content]) => ({ tool: 'write_file', args: { path: at, content, mode: 'append' } })),
  fc.tuple(path, fc.constantFrom('o', 'e\r\n', 'x'), text).map(([at, find, replace]) => ({
    tool: 'edit_file',
    args: { path: at, edits: [{ find, replace, all: true }] },
  })),
  path.map((at) => sh(`rm -rf ${quoted(at)}`)),
  fc.tuple(path, path).map(([from, to]) => sh(`mv ${quoted(from)} ${quoted(to)}`)),
  fc.tuple(path, path).map(([from, to]) => sh(`ln -s ${quoted(from)} ${quoted(to)}`)),
  fc.tuple(path, fc.constantFrom('600', '644', '755')).map(([at, mode]) => sh(`chmod ${mode} ${quoted(at)}`)),
  path.map((at) => sh(`mkdir -p ${quoted(at)}`)),
  fc.tuple(path, text).map(([at, content]) => sh(`printf %s ${quoted(content.replace('\0', ''))} > ${quoted(at)}`)),
)
const steps = fc.array(fc.array(change, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 3 })

test('undo, undo to a step, and undo again', async () => {
  const hasSandbox = (await findSandbox()).kind !== undefined
  await fc.assert(
    fc.asyncProperty(steps, fc.nat(2), async (all, index) => {
      const config = {
        policy: { shell: true, sandbox: hasSandbox ? ('auto' as const) : ('none' as const), rules: ALLOWED },
      }
      const { runtime, run, workspace } = await createUndoable({ files: START, config })
      try {
        const before = treeOf(workspace)
        const after: ReturnType<typeof treeOf>[] = []
        const { id } = await run(all, {}, () => after.push(treeOf(workspace)))
        assert.is(after.length, all.length)
        await runtime.runs.undo(id)
        assert.equal(treeOf(workspace), before)
        const step = index % all.length
        await runtime.runs.undo(id, { to: `step-${step + 1}` })
        assert.equal(treeOf(workspace), after[step])
        await runtime.runs.undo(id, { to: `step-${all.length}` })
        assert.equal(treeOf(workspace), after.at(-1))
        await runtime.runs.undo(id)
        assert.equal(treeOf(workspace), before)
        assert.is((await runtime.runs.undo(id)).done, false)
      } finally {
        await runtime.close()
      }
    }),
    { numRuns: SAMPLES, endOnFailure: false },
  )
})

const ALLOWED = [{ tool: 'shell', decision: 'allow' as const }]

test.run()
