import { randomBytes } from 'node:crypto'
import { chmod, mkdir, open, readFile as read, readdir, stat, symlink, writeFile as write } from 'node:fs/promises'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { listFiles } from '../src/tools/files/find/list-files.ts'
import { searchFiles } from '../src/tools/files/find/search-files.ts'
import { readFile } from '../src/tools/files/read-file.ts'
import { writeFile } from '../src/tools/files/write-file.ts'
import { createContext, createWorkspace, failureOf, runTool } from './fixtures/tool-context.ts'

const test = suite('file tools')

/** In which order a tool that is left alone and one that is stopped in the midst of the same work come to an end. */
async function endsOf(run: (signal: AbortSignal) => Promise<unknown>): Promise<string[]> {
  const controller = new AbortController()
  const ends: string[] = []
  const end = (outcome: string): void => void ends.push(outcome)
  const alone = run(new AbortController().signal).then(() => end('finished'))
  const stopped = run(controller.signal).then(
    () => end('finished'),
    (error: Error) => end(error.message),
  )
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  controller.abort(new Error('stop'))
  await Promise.all([alone, stopped])
  return ends
}

test('list_files shows folders with a slash and files with their bytes, in the order of paths', async () => {
  const { workspace } = await createWorkspace({
    'README.md': 'hello',
    'src/index.ts': 'export {}\n',
    'src/a/b/c/deep.ts': '',
    'src/a/z.ts': '1',
    'empty/': '',
  })
  assert.is(
    await runTool(listFiles, {}, createContext(workspace)),
    ['README.md  5', 'empty/', 'src/', 'src/a/', 'src/a/b/', 'src/a/z.ts  1', 'src/index.ts  10'].join('\n'),
  )
  assert.is(await runTool(listFiles, { path: 'src', depth: 1 }, createContext(workspace)), 'src/a/\nsrc/index.ts  10')
  assert.is(await runTool(listFiles, { path: 'src/index.ts' }, createContext(workspace)), 'src/index.ts  10')
  assert.is(await runTool(listFiles, { path: 'empty' }, createContext(workspace)), '… the folder is empty')
})

test('list_files leaves out what tools make and what .gitignore excludes, unless the path is inside of it', async () => {
  const { workspace } = await createWorkspace({
    '.gitignore': '# made\n*.log\n!keep.log\n/private/\nout/**/*.map\nlogs/\n',
    'a.log': '',
    'keep.log': '',
    'private/x.txt': '',
    'sub/private/y.txt': '',
    'out/deep/a.map': '',
    'out/deep/a.js': '',
    'logs/x': '',
    '.git/config': '',
    'node_modules/p/index.js': '1',
    'node_modules/p/dist/p.js': '22',
    'node_modules/p/node_modules/q/index.js': '',
    'dist/x.js': '',
    'coverage/x': '',
    '__pycache__/x.pyc': '',
    '.venv/bin/python': '',
    'target/x': '',
  })
  const context = createContext(workspace)
  assert.is(
    await runTool(listFiles, { pattern: '**' }, context),
    ['.gitignore  52', 'keep.log  0', 'out/deep/a.js  0', 'sub/private/y.txt  0'].join('\n'),
  )
  assert.is(
    await runTool(listFiles, { path: 'node_modules/p', pattern: '*' }, context),
    'node_modules/p/dist/p.js  2\nnode_modules/p/index.js  1',
  )
  assert.is(await runTool(listFiles, { path: 'private' }, context), 'private/x.txt  0')
  assert.is(await runTool(listFiles, { path: 'dist' }, context), 'dist/x.js  0')
})

test('list_files cuts what lies deepest first and counts it', async () => {
  const files: Record<string, string> = { 'z.txt': '' }
  for (let index = 0; index < 20; index++) files[`a/${String(index).padStart(2, '0')}.txt`] = ''
  const { workspace } = await createWorkspace(files)
  assert.is(
    await runTool(listFiles, { limit: 4 }, createContext(workspace)),
    'a/\na/00.txt  0\na/01.txt  0\nz.txt  0\n… 18 more',
  )
})

test('list_files takes globs about names and about paths, from the root or from the folder', async () => {
  const { workspace } = await createWorkspace({
    'src/a.ts': '',
    'src/b.js': '',
    'src/x/a.test.ts': '',
    'c.ts': '',
  })
  const context = createContext(workspace)
  const list = (args: object) => runTool(listFiles, args, context)
  assert.is(await list({ pattern: '*.ts' }), 'c.ts  0\nsrc/a.ts  0\nsrc/x/a.test.ts  0')
  assert.is(await list({ pattern: 'src/**/*.ts' }), 'src/a.ts  0\nsrc/x/a.test.ts  0')
  assert.is(await list({ pattern: '*.{js,test.ts}' }), 'src/b.js  0\nsrc/x/a.test.ts  0')
  assert.is(await list({ path: 'src', pattern: 'x/*' }), 'src/x/a.test.ts  0')
  assert.is(await list({ pattern: '*.py' }), '… no file matches')
})

test('links are shown as what they lead to, folders behind them are not entered, links outside are left out', async () => {
  const { workspace } = await createWorkspace({ 'real/a.txt': 'abc' })
  await symlink('real', join(workspace, 'folder-link'))
  await symlink('real/a.txt', join(workspace, 'file-link'))
  await symlink('/etc', join(workspace, 'outside'))
  await symlink('..', join(workspace, 'real/up'))
  assert.is(
    await runTool(listFiles, { depth: 9 }, createContext(workspace)),
    ['file-link  3', 'folder-link/', 'real/', 'real/a.txt  3', 'real/up/'].join('\n'),
  )
  assert.match(
    await runTool(searchFiles, { query: 'ABC', path: 'real' }, createContext(workspace)),
    'real/a.txt:1: abc',
  )
})

test('control characters in names cannot fake a line', async () => {
  const { workspace } = await createWorkspace({ 'a\nsecret.txt  9': 'x' })
  assert.is(await runTool(listFiles, {}, createContext(workspace)), 'a?secret.txt  9  1')
  assert.is(await runTool(searchFiles, { query: 'x' }, createContext(workspace)), 'a?secret.txt  9:1: x')
})

test('a folder that cannot be read is named and the rest is shown', async () => {
  const { workspace } = await createWorkspace({ 'closed/x.txt': 'word', 'open.txt': 'word' })
  await chmod(join(workspace, 'closed'), 0o000)
  const context = createContext(workspace)
  // root may read everything
  if (process.getuid?.() !== 0) {
    assert.is(await runTool(listFiles, {}, context), 'closed/\nopen.txt  4\n… cannot read closed/ (EACCES)')
    assert.match(await runTool(searchFiles, { query: 'word' }, context), 'cannot read')
    assert.match((await failureOf(listFiles.run({ path: 'closed' }, context))).message, 'permission denied')
  }
  assert.match((await failureOf(listFiles.run({ path: 'open.txt/x' }, context))).message, 'does not exist')
  await chmod(join(workspace, 'closed'), 0o755)
})

test('read_file numbers lines, reads on from an offset and says how many follow', async () => {
  const { workspace } = await createWorkspace({
    'a.txt': 'one\r\ntwo\n\nfour\n',
    'b.txt': 'x\ny',
    'empty.txt': '',
  })
  const context = createContext(workspace)
  assert.is(await runTool(readFile, { path: 'a.txt' }, context), '1\tone\n2\ttwo\n3\t\n4\tfour')
  assert.is(await runTool(readFile, { path: 'a.txt', offset: 2, limit: 1 }, context), '2\ttwo\n… 2 more lines')
  assert.is(await runTool(readFile, { path: 'b.txt', offset: 2 }, context), '2\ty')
  assert.is(await runTool(readFile, { path: 'empty.txt' }, context), '… the file is empty')
  const past = await failureOf(readFile.run({ path: 'a.txt', offset: 5 }, context))
  assert.is(past.code, 'tool_bad_args')
})

test('read_file cuts very long lines and stops before its output grows too large', async () => {
  const { workspace } = await createWorkspace({
    'long.txt': `${'x'.repeat(1999)}😀${'y'.repeat(1_000_000)}\nshort\n`,
    'wide.txt': `${'z'.repeat(1000)}\n`.repeat(200),
  })
  const context = createContext(workspace)
  assert.is(await runTool(readFile, { path: 'long.txt' }, context), `1\t${'x'.repeat(1999)}…\n2\tshort`)
  const wide = await runTool(readFile, { path: 'wide.txt' }, context)
  assert.ok(Buffer.byteLength(wide) <= (readFile.maxOutputBytes ?? 0), `${wide.length}`)
  const shown = wide.split('\n').length - 1
  assert.ok(wide.endsWith(`\n… ${200 - shown} more lines`))
})

test('read_file takes 50 MB of text without holding it, and refuses 50 MB that are not text', async () => {
  const { workspace } = await createWorkspace()
  const text = join(workspace, 'big.txt')
  const block = `${'0123456789'.repeat(9)}012345678\n`.repeat(10_000)
  for (let index = 0; index < 50; index++) await write(text, block, { flag: 'a' })
  const sparse = await open(join(workspace, 'big.bin'), 'w')
  await sparse.truncate(50_000_000)
  await sparse.close()
  const context = createContext(workspace)
  const before = process.memoryUsage().rss
  const shown = await runTool(readFile, { path: 'big.txt', limit: 3 }, context)
  const tail = await runTool(readFile, { path: 'big.txt', offset: 500_000 }, context)
  assert.is(shown.split('\n').length, 4)
  assert.ok(shown.endsWith('… 499997 more lines'))
  assert.ok(tail.startsWith('500000\t0123'))
  assert.ok(process.memoryUsage().rss - before < 40_000_000, 'memory grew with the file')
  const refused = await failureOf(readFile.run({ path: 'big.bin' }, context))
  assert.is(refused.message, '"big.bin" is not text (application/octet-stream, 50000000 bytes)')
})

test('read_file says what a file is that is not text, and names what may have been meant', async () => {
  const gzip = Buffer.concat([Buffer.from('1f8b', 'hex'), randomBytes(106), Buffer.alloc(8)])
  const { workspace } = await createWorkspace({
    'logo.png': gzip,
    'utf16.txt': Buffer.from('\ufeffhello', 'utf16le'),
    'latin.txt': Buffer.from('caf\xe9\n', 'latin1'),
    'src/readme.md': '',
    'src/deep/index.ts': '',
  })
  const context = createContext(workspace)
  const messageOf = async (path: string) => (await failureOf(readFile.run({ path }, context))).message
  assert.is(await messageOf('logo.png'), '"logo.png" is not text (application/gzip, 116 bytes)')
  assert.is(await runTool(readFile, { path: 'utf16.txt' }, context), '1\thello\n… read as UTF-16 (little endian)')
  assert.is(await runTool(readFile, { path: 'latin.txt' }, context), '1\tcafé\n… read as Latin-1 (it is not UTF-8)')
  assert.match(await messageOf('src'), 'is a folder')
  assert.is(await messageOf('src/redme.md'), '"src/redme.md" does not exist; did you mean "src/readme.md"?')
  assert.is(await messageOf('index.ts'), '"index.ts" does not exist; did you mean "src/deep/index.ts"?')
  assert.is(await messageOf('xyzzy'), '"xyzzy" does not exist')
  assert.is(
    (await failureOf(listFiles.run({ path: 'scr' }, context))).message,
    '"scr" does not exist; did you mean "src"?',
  )
})

test('search_files finds lines without regard to case and cites them', async () => {
  const { workspace } = await createWorkspace({
    'b.ts': 'const Answer = 42\n\n  return ANSWER + answer\n',
    'a.md': 'The answer.\r\nİstanbul İ answer\n',
    'img.bin': Buffer.from([0, 1, 2, ...Buffer.from('answer')]),
    'regex.txt': 'a.*b\naxxb\n',
    'node_modules/x.js': 'answer',
  })
  const search = (args: object) => runTool(searchFiles, args, createContext(workspace))
  assert.is(
    await search({ query: 'aNSWer' }),
    [
      'a.md:1: The answer.',
      'a.md:2: İstanbul İ answer',
      'b.ts:1: const Answer = 42',
      'b.ts:3: return ANSWER + answer',
    ].join('\n'),
  )
  assert.is(await search({ query: 'answer', limit: 1 }), 'a.md:1: The answer.\n… 3 more')
  assert.is(await search({ query: 'answer', pattern: '*.ts', limit: 1 }), 'b.ts:1: const Answer = 42\n… 1 more')
  assert.is(await search({ query: 'a.*b' }), 'regex.txt:1: a.*b')
  assert.is(await search({ query: 'nothing like it' }), 'no match')
  assert.is(await search({ query: 'xx', path: 'regex.txt' }), 'regex.txt:2: axxb')
  assert.is((await failureOf(searchFiles.run({ query: 'a\nb' }, createContext(workspace)))).code, 'tool_bad_args')
  assert.match(
    (await failureOf(searchFiles.run({ query: 'a', path: 'img.bin' }, createContext(workspace)))).message,
    'not text',
  )
})

test('search_files shows the surroundings of a match in a long line and names files that are too large', async () => {
  const { workspace } = await createWorkspace({
    'long.txt': `${'a'.repeat(5000)}NEEDLE${'b'.repeat(5000)}`,
    'huge.csv': 'needle,'.repeat(800_000),
  })
  const shown = await runTool(searchFiles, { query: 'needle' }, createContext(workspace))
  const [hit = '', note] = shown.split('\n')
  assert.match(hit, 'aNEEDLEb')
  assert.ok(hit.startsWith('long.txt:1: …a') && hit.endsWith('b…') && hit.length < 330)
  assert.is(note, '… skipped 1 file over 5 MB: huge.csv')
})

test('write_file creates, replaces and appends whole files, with folders, and says what changed', async () => {
  const { workspace } = await createWorkspace()
  const write = (args: object) => runTool(writeFile, args, createContext(workspace))
  const content = () => read(join(workspace, 'new/folder/a.txt'), 'utf8')
  const path = 'new/folder/a.txt'
  assert.is(await write({ path, content: 'one\ntwo\n', mode: 'create' }), 'created new/folder/a.txt: 2 lines, 8 bytes')
  assert.match((await failureOf(write({ path, content: 'x', mode: 'create' }))).message, 'exists already')
  assert.is(
    await write({ path, content: 'three', mode: 'append' }),
    'appended to new/folder/a.txt: 1 line, 5 bytes; it had 8 bytes',
  )
  assert.is(await content(), 'one\ntwo\nthree')
  await chmod(join(workspace, path), 0o640)
  assert.is(await write({ path, content: 'é' }), 'replaced new/folder/a.txt: 1 line, 2 bytes; it had 13 bytes')
  assert.is((await stat(join(workspace, path))).mode & 0o777, 0o640)
  assert.is(await write({ path: 'b.txt', content: 'b', mode: 'append' }), 'created b.txt: 1 line, 1 byte')
  assert.equal(await readdir(join(workspace, 'new/folder')), ['a.txt'], 'no temporary file is left')
  assert.is((await failureOf(write({ path: 'new', content: '' }))).message, '"new" is a folder, not a file')
  assert.is((await failureOf(write({ path: 'x/', content: '' }))).code, 'tool_bad_args')
})

test('write_file does not put the mark of a secret in place of the secret', async () => {
  const { workspace } = await createWorkspace({
    'settings.ini': 'A=1\nKEY=abcdefgh12345\n',
    'doc.md': 'shown as [redacted]\n',
  })
  const context = createContext(workspace)
  const failed = await failureOf(
    runTool(writeFile, { path: 'settings.ini', content: 'A=2\nKEY=[redacted]\n' }, context),
  )
  assert.equal([failed.code, failed.message.includes('use edit_file')], ['tool_failed', true])
  assert.is(await read(join(workspace, 'settings.ini'), 'utf8'), 'A=1\nKEY=abcdefgh12345\n')
  await runTool(writeFile, { path: 'doc.md', content: 'printed as [redacted]\n' }, context)
  await runTool(writeFile, { path: 'new.md', content: '[redacted]' }, context)
})

test('write_file follows a link inside, refuses what git runs, and leaves nothing behind when it is stopped', async () => {
  const { workspace } = await createWorkspace({ 'real.txt': 'old', '.git/hooks/': '' })
  await symlink('real.txt', join(workspace, 'link.txt'))
  await symlink('.git', join(workspace, 'harmless'))
  const context = createContext(workspace)
  await runTool(writeFile, { path: 'link.txt', content: 'new' }, context)
  assert.is(await read(join(workspace, 'real.txt'), 'utf8'), 'new')
  for (const path of ['.git/hooks/pre-commit', 'harmless/hooks/pre-commit', '.GIT/config', 'sub/.git/config']) {
    assert.is((await failureOf(writeFile.run({ path, content: 'x' }, context))).code, 'policy_denied', path)
  }
  const stopped = createContext(workspace, { signal: AbortSignal.abort(new Error('stop')) })
  const message = await writeFile
    .run({ path: 'never.txt', content: 'x' }, stopped)
    .catch((error: Error) => error.message)
  assert.is(message, 'stop')
  assert.equal(await readdir(workspace), ['.git', 'harmless', 'link.txt', 'real.txt'])
})

test('listing and searching a large tree stop at an abort, and do not go through the rest of it', async () => {
  const { workspace } = await createWorkspace()
  for (let folder = 0; folder < 50; folder++) {
    await mkdir(join(workspace, `f${folder}`))
    for (let file = 0; file < 20; file++)
      await write(join(workspace, `f${folder}/${file}.txt`), 'some words\n'.repeat(2000))
  }
  for (const work of [
    (signal: AbortSignal) => listFiles.run({}, createContext(workspace, { signal })),
    (signal: AbortSignal) => searchFiles.run({ query: 'zzz' }, createContext(workspace, { signal })),
  ]) {
    assert.equal(await endsOf(work), ['stop', 'finished'])
  }
})

test.run()
