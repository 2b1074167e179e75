/** The PostgreSQL of a test ends with its process, however that ends. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { argumentsFor } from '../../.tools/launch.ts'
import { missing } from './fixtures/postgres.ts'
import { until } from './fixtures/until.ts'

const test = suite('PostgreSQL of a test')

test('it is known why there is none', () => assert.ok(missing === undefined || missing.length > 0))

for (const how of ['at work', 'frozen']) {
  const add = missing === undefined ? test : test.skip
  add(`a server that is ${how} and its files are gone soon after its process was killed`, async () => {
    const owner = spawn(process.execPath, [
      ...argumentsFor(new URL('./fixtures/postgres-owner.ts', import.meta.url)),
      how,
    ])
    const [said] = (await once(owner.stdout, 'data')) as [Buffer]
    const [pid = '', data = ''] = said.toString().trim().split(' ')
    assert.ok(existsSync(`/proc/${pid}`) && existsSync(data))
    owner.kill('SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`) && !existsSync(dirname(data)))
  })
}

test.run()
