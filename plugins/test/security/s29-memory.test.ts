/** S29: memories with the names of a prototype are texts like any other. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { openMemory } from '../fixtures/memories.ts'

const test = suite('S29 memories')

const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']

test('contents, tags, threads and ids of such names are kept and found, and pollute nothing', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'svc-s29-'))
  const open = () => openMemory(dir, { space: '__proto__' })
  const { memory, close } = open()
  const foreign = JSON.parse('{"content":"x","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}')
  const refused = await memory.write(foreign).catch((error: { code?: string }) => error.code)
  assert.is(refused, 'validation_failed')
  for (const name of NAMES) {
    const { id } = await memory.write({ content: `about ${name}`, tags: [name], threadId: name, agentId: name })
    assert.equal((await memory.get(id))?.tags, [name])
    assert.is(await memory.get(name), undefined)
  }
  await close()
  const { memory: again, close: closeAgain } = open()
  for (const name of NAMES) {
    const { data } = await again.query({ query: `about ${name}`, scope: { threadId: name } })
    assert.ok(
      data.some(({ content }) => content === `about ${name}`),
      name,
    )
  }
  assert.is(Reflect.get({}, 'polluted'), undefined)
  assert.type({}.toString, 'function')
  await closeAgain()
  rmSync(dir, { recursive: true, force: true })
})

test.run()
