import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { parseGitIgnore } from '../src/tools/files/find/git-ignore.ts'
import { createGlob } from '../src/tools/files/find/glob.ts'

const test = suite('globs')

test('matches as shells and git do', () => {
  for (const [pattern, path, expected] of [
    ['*.ts', 'a.ts', true],
    ['*.ts', 'x/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'x/y/a.ts', true],
    ['src/**', 'src/x/y', true],
    ['src/', 'src/x', true],
    ['src/**/z', 'src/z', true],
    ['./a/../b', 'a/../b', true],
    ['a?c', 'a😀c', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x', '[]x', true],
    ['{a,b{1,2}}.c', 'b2.c', true],
    ['{a}', '{a}', true],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a*b*c', 'aXbXbc', true],
    ['', 'a', false],
  ] as const) {
    assert.is(createGlob(pattern)(path), expected, `${pattern} ${path}`)
  }
})

// Tried one way after the other, they would not end.
test('patterns made to be slow are not', () => {
  const name = 'a'.repeat(255)
  assert.not(createGlob(`${'*a'.repeat(100)}b`)(name))
  createGlob(`${'**/a/'.repeat(100)}b`)(`${'a/'.repeat(1000)}c`)
  createGlob(`${'[a-z]*'.repeat(100)}!`)(name)
  parseGitIgnore(`${'*a'.repeat(100)}b\n`.repeat(100))(name, false)
  assert.throws(() => createGlob('{a,b}'.repeat(10)), /alternatives/)
  assert.throws(() => createGlob('*'.repeat(2000)), /longer/)
})

test.run()
