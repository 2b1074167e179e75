import { chmod, readFile as read, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool } from '@svc/core'
import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { createEditFile } from '../src/tools/files/edit-file.ts'
import { searchFiles } from '../src/tools/files/find/search-files.ts'
import { unifiedDiff } from '../src/tools/files/line-diff.ts'
import { readFile } from '../src/tools/files/read-file.ts'
import { createWriteFile } from '../src/tools/files/write-file.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('edit_file')

const editFile = createEditFile()
const writeFile = createWriteFile()
const glance = (workspace: string) => ({ workspace, signal: new AbortController().signal })
const previewOf = (tool: Tool, args: unknown, workspace: string) => tool.preview?.(args, glance(workspace))

test('edits are made in order, and the answer is a diff of them', async () => {
  const { workspace } = await createWorkspace({ 'src/a.ts': 'const a = 1\nconst b = 2\nconst c = 3\n' })
  const args = {
    path: 'src/a.ts',
    edits: [
      { find: 'const a = 1', replace: 'const first = 1' },
      { find: 'first = 1\nconst b', replace: 'first = 1\nconst second' },
    ],
  }
  const diff = [
    '--- src/a.ts',
    '+++ src/a.ts',
    '@@ -1,3 +1,3 @@',
    '-const a = 1',
    '-const b = 2',
    '+const first = 1',
    '+const second = 2',
    ' const c = 3',
  ].join('\n')
  await chmod(join(workspace, 'src/a.ts'), 0o750)
  assert.is(await previewOf(editFile, args, workspace), diff)
  assert.is(await runTool(editFile, args, createContext(workspace)), `edited src/a.ts: 2 places\n${diff}`)
  assert.is(await read(join(workspace, 'src/a.ts'), 'utf8'), 'const first = 1\nconst second = 2\nconst c = 3\n')
  assert.is((await stat(join(workspace, 'src/a.ts'))).mode & 0o777, 0o750)
})

test('a text that is not found or not unique is refused with where it is, and no edit is made', async () => {
  const content = 'function add(a, b) {\n  return a - b\n}\n\nadd(1)\nadd(1)\n'
  const { workspace } = await createWorkspace({ 'a.js': content })
  const refuse = async (...edits: object[]): Promise<string> => {
    const error = await failureOf(editFile.run({ path: 'a.js', edits }, createContext(workspace)))
    assert.is(error.code, 'tool_failed')
    assert.is(await read(join(workspace, 'a.js'), 'utf8'), content)
    return error.message
  }
  assert.is(
    await refuse({ find: 'return a - b', replace: 'return a + b' }, { find: 'add(1)', replace: 'add(1, 2)' }),
    'edits[1].find is in the file 2 times, at lines 5, 6: give more of its surroundings, or "all": true\nNone of the edits was made.',
  )
  assert.is(
    await refuse({ find: 'function add(a, b) {\n    return a - b;\n}', replace: '' }),
    'edits[0].find is not in the file; nearest is line 1:\n1\tfunction add(a, b) {\n2\t  return a - b\n3\t}',
  )
  assert.match(await refuse({ find: '\treturn a - b', replace: '' }), 'only its white space differs at line 2:')
  assert.match(await refuse({ find: '2\t  return a - b', replace: '' }), 'leave out the line numbers')
  assert.match(await refuse({ find: 'zzzzqqqq', replace: '' }), 'nor anything like it')
  assert.match(await refuse({ find: 'add(1)', replace: 'add(1)', all: true }), 'change nothing')
})

test('line endings and the encoding stay as they are', async () => {
  const text = '\u00e9ins\r\nzwei\r\ndrei\r\n'
  const files: Record<string, Buffer> = {
    'utf8.txt': Buffer.from(text),
    'mark.txt': Buffer.from(`\ufeff${text}`),
    'le.txt': Buffer.from(`\ufeff${text}`, 'utf16le'),
    'be.txt': Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
    'latin.txt': Buffer.from(text, 'latin1'),
  }
  const { workspace } = await createWorkspace(files)
  const context = createContext(workspace)
  const edits = [{ find: '\u00e9ins\nzwei', replace: '\u00e9ins\nzw\u00f6lf\nneu' }]
  const edited = '\u00e9ins\r\nzw\u00f6lf\r\nneu\r\ndrei\r\n'
  const wanted: Record<string, Buffer> = {
    'utf8.txt': Buffer.from(edited),
    'mark.txt': Buffer.from(`\ufeff${edited}`),
    'le.txt': Buffer.from(`\ufeff${edited}`, 'utf16le'),
    'be.txt': Buffer.from(`\ufeff${edited}`, 'utf16le').swap16(),
    'latin.txt': Buffer.from(edited, 'latin1'),
  }
  for (const [path, bytes] of Object.entries(wanted)) {
    await runTool(editFile, { path, edits }, context)
    assert.is((await read(join(workspace, path))).toString('hex'), bytes.toString('hex'), path)
    const shown = await runTool(readFile, { path, offset: 2, limit: 2 }, context)
    assert.match(shown, '2\tzw\u00f6lf\n3\tneu\n… 1 more lines', path)
  }
  assert.is((await runTool(searchFiles, { query: 'ZW\u00d6LF' }, context)).split('\n').length, 5)
  await runTool(writeFile, { path: 'be.txt', content: 'fünf\n', mode: 'append' }, context)
  assert.match(await runTool(readFile, { path: 'be.txt', offset: 5 }, context), '5\tfünf')
  const foreign = { path: 'latin.txt', edits: [{ find: 'drei', replace: '\u4e09' }] }
  assert.match((await failureOf(editFile.run(foreign, context))).message, 'which has no "\u4e09"')
})

test('a diff turns the old lines into the new ones', async () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 30 }).map((all) => all.join('\n'))
  await fc.assert(
    fc.asyncProperty(lines, lines, async (before, after) =>
      assert.is(apply(before, await unifiedDiff('f', before, after)), after),
    ),
    { seed: 7, numRuns: 500 },
  )
  assert.is(
    await unifiedDiff('new\n.txt', undefined, 'x'),
    '--- /dev/null\n+++ new?.txt\n@@ -0,0 +1,1 @@\n+x\n\\ No newline at end of file',
  )
  // more differences than are looked for
  const [before, after] = ['a', 'b'].map((end) => Array.from({ length: 2000 }, (_, n) => `${n}${end}\n`).join(''))
  assert.is(apply(before ?? '', await unifiedDiff('f', before, after ?? '')), after)
})

test('the preview of write_file is a diff, or says what is replaced', async () => {
  const { workspace } = await createWorkspace({ 'a.txt': 'one\ntwo\n', 'a.bin': Buffer.from([0, 1, 2]) })
  const preview = (args: object) => previewOf(writeFile, args, workspace)
  assert.is(
    await preview({ path: 'a.txt', content: 'one\n2\n' }),
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2',
  )
  assert.is(
    await preview({ path: 'a.txt', content: 'three\n', mode: 'append' }),
    '--- a.txt\n+++ a.txt\n@@ -1,2 +1,3 @@\n one\n two\n+three',
  )
  assert.match((await preview({ path: 'deep/new.txt', content: 'x\n' })) ?? '', '+++ deep/new.txt')
  assert.is(
    await preview({ path: 'a.bin', content: 'x' }),
    'replaces a.bin (application/octet-stream, 3 bytes) by text',
  )
  assert.is(await preview({ path: 'a.txt', content: 'one\ntwo\n' }), 'changes nothing in a.txt')
})

/** What a unified diff makes of a text. */
function apply(before: string, diff: string): string {
  if (diff === '') return before
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? []
  let [out, at] = ['', 0]
  const lines = diff.split('\n').slice(2)
  for (const [index, line] of lines.entries()) {
    const start = /^@@ -(\d+),(\d+)/.exec(line)
    if (start !== null) {
      const from = Number(start[1]) - (start[2] === '0' ? 0 : 1)
      out += old.slice(at, from).join('')
      at = from
    } else if (line.startsWith('-')) at++
    else if (line.startsWith('+')) out += line.slice(1) + (lines[index + 1]?.startsWith('\\') ? '' : '\n')
    else if (line.startsWith(' ')) out += old[at++]
  }
  return out + old.slice(at).join('')
}

test.run()
