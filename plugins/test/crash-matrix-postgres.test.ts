import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addMatrix } from './fixtures/durability/matrix-suite.ts'
import { folderOf } from './fixtures/folder-of.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'

const isNightly = process.env.SVC_NIGHTLY === '1'
const test = suite('crash matrix over PostgreSQL')

if (missing === undefined) {
  const root = folderOf()
  let server: Postgres
  let homes = 0
  test.before(async () => {
    server = await startPostgres()
  })
  // A lease has to run out before another process goes on.
  addMatrix(test, () => ({ dir: join(root, String(++homes)), url: server.newDatabase() }), {
    store: 'PostgreSQL',
    atWrites: isNightly ? Number.POSITIVE_INFINITY : 4,
    atRandom: isNightly ? 1_008 : 6,
    inSeries: 6,
    lifeMs: [100, 800],
    processes: 3,
  })
  test.after(() => server.close())
} else {
  test.skip(`without PostgreSQL: ${missing}`)
  test('it is known why', () => assert.ok(missing))
}

test.run()
