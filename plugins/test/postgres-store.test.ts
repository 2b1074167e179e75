/** The store in PostgreSQL against the contract of stores, and what it says when the database is not as it should be. */
import { SvcError } from '@svc/core'
import { checkStore } from '@svc/core/testing'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { PostgresStore } from '../src/stores/index.ts'
import { loadPg } from '../src/stores/postgres/load-pg.ts'
import { missing, type Postgres, startPostgres } from './fixtures/postgres.ts'

const test = suite('runs in PostgreSQL')
const withServer = missing === undefined ? test : test.skip
if (missing !== undefined) console.log(`tests that need PostgreSQL are skipped: ${missing}`)

let server: Postgres
test.before(async () => {
  if (missing === undefined) server = await startPostgres()
})
test.after(() => {
  if (missing === undefined) server.close()
})

withServer('two handles keep the contract', async () => {
  const problems = await checkStore({
    open: async (clock) => {
      const url = server.newDatabase()
      const [store, other] = [new PostgresStore({ url, clock }), new PostgresStore({ url, clock })]
      await Promise.all([store.open(), other.open()])
      return { store, other, close: async () => void (await Promise.all([store.close(), other.close()])) }
    },
  })
  assert.equal(problems, [])
})

/** What opening a store ends with. */
async function failureOf(url: string): Promise<SvcError> {
  try {
    const store = new PostgresStore({ url })
    await store.open()
    await store.close()
  } catch (thrown) {
    if (SvcError.isInstance(thrown)) return thrown
    throw thrown
  }
  throw new Error('it was opened')
}

test('a missing driver is named with the command that installs it', async () => {
  const failure = await loadPg(() => Promise.reject(new Error('not there'))).catch((thrown) => thrown)
  assert.is(failure.code, 'store_unavailable')
  assert.match(failure.message, 'npm install pg')
})

test('a database that is not there, and an address that is none, are errors at once that keep the password', async () => {
  for (const url of ['postgres://me:secret@127.0.0.1:1/svc', 'postgres://me:secret@[/svc']) {
    const failure = await failureOf(url)
    assert.is(failure.code, 'store_unavailable')
    assert.not.match(`${failure.message} ${failure.stack}`, 'secret')
    assert.not.match(JSON.stringify(failure.toInfo()), 'secret')
  }
})

test.run()
