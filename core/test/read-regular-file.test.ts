import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readRegularFile } from '../src/config/read/read-regular-file.ts'

const test = suite('regular files')
const folder = mkdtempSync(join(tmpdir(), 'svc-regular-'))
test.after(() => rmSync(folder, { recursive: true }))

const problemOf = (file: string, most = 100): string => {
  const read = readRegularFile(file, most)
  return 'bytes' in read ? `${read.bytes.length} bytes` : read.problem
}

test('a device, a pipe that nobody writes to, a folder and links to them are refused without being read', () => {
  const pipe = join(folder, 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$1"', 'sh', pipe])
  symlinkSync('/dev/zero', join(folder, 'link'))
  for (const file of ['/dev/zero', '/dev/tty', pipe, folder, join(folder, 'link')])
    assert.match(problemOf(file), /is not a regular file|cannot be read/, file)
})

test('a file is read up to the limit, also one of the kernel that says it is empty', () => {
  const file = join(folder, 'file')
  writeFileSync(file, 'x'.repeat(100))
  assert.is(problemOf(file), '100 bytes')
  assert.is(problemOf(file, 99), 'is larger than 99 bytes')
  assert.is(problemOf('/proc/self/status', 10), 'is larger than 10 bytes')
  assert.match(problemOf('/proc/self/status', 100_000), /^\d{3,5} bytes$/)
  assert.is(problemOf(join(folder, 'missing')), 'cannot be read (ENOENT)')
})

test('a file of somebody else is refused with the user that cannot read it', () => {
  const nobody = 65534
  const isRoot = process.geteuid?.() === 0
  const file = join(folder, 'secret')
  writeFileSync(file, 'x', { mode: isRoot ? 0o600 : 0o000 })
  chmodSync(folder, 0o755)
  if (isRoot) process.seteuid?.(nobody)
  try {
    const user = process.geteuid?.()
    assert.is(problemOf(file), `cannot be read (EACCES) by user ${user}, who runs svc`)
  } finally {
    if (isRoot) process.seteuid?.(0)
  }
})

test.run()
