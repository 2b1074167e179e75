/** What a server and a worker say of a database that goes away and comes back, while nobody asks them. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { missing, startPostgres } from '../../plugins/test/fixtures/postgres.ts'
import { begin, makeWorld } from './fixtures/world.ts'

const test = suite('loss of the store')

if (missing === undefined) {
  const postgres = await startPostgres()
  test.after(() => postgres.close())

  test('each says once at level error that the store cannot be reached, and once that it takes writes again', async () => {
    const here = makeWorld()
    const env = { SVC_DATABASE_URL: postgres.newDatabase(), SVC_LOG_FORMAT: 'json' }
    const running = ['serve --port 0 --no-work', 'worker', 'worker --port 0'].map((words) =>
      begin(here, words, { env }),
    )
    await Promise.all(running.map(({ says }) => says(/listening on|waiting for runs/)))
    postgres.stop(true)
    await Promise.all(
      running.map(({ says }) => says(/"level":"error","msg":"the store takes no write: [^"]+cannot be reached/)),
    )
    // Longer than a statement is tried again.
    await new Promise((resolve) => setTimeout(resolve, 45_000))
    postgres.start()
    await Promise.all(running.map(({ says }) => says(/the store takes writes again/)))
    for (const { child, outcome } of running) {
      child.kill('SIGTERM')
      const { err } = await outcome
      assert.is(err.match(/"level":"error"/g)?.length, 1, err)
      assert.ok((err.match(/cannot be reached/g)?.length ?? 0) <= 2, err)
      assert.is(err.match(/takes writes again/g)?.length, 1, err)
    }
  })
}

test.run()
