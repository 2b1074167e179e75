/** What is decided for Windows, on any system. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { platformWarnings } from '../src/assembly/unusable-parts.ts'
import { windowsFault } from '../src/tools/files/workspace.ts'

const test = suite('Windows')

test('a path that is another name of a file, or a device, is none of the workspace', () => {
  for (const path of ['.env::$DATA', 'a\\.env:x', '.env.', 'a/.env ', 'NUL', 'a\\con.txt', 'com1', 'x:y', 'a. /b'])
    assert.type(windowsFault(path, 'win32'), 'string', path)
  for (const path of ['C:\\Work\\a.txt', '../a', '.', 'a\\b.c', 'console.log', 'nullable', 'd:/x', 'src/.env'])
    assert.is(windowsFault(path, 'win32'), undefined, path)
  assert.is(windowsFault('a:b ', 'linux'), undefined)
})

test('what is missing on a system is said in one sentence', () => {
  const [warning, ...more] = platformWarnings('win32')
  assert.is(warning?.code, 'platform_limited')
  assert.equal(more, [])
  assert.not.match(warning?.message ?? '', /\n/)
  for (const platform of ['linux', 'darwin'] as const) assert.equal(platformWarnings(platform), [])
})

test.run()
