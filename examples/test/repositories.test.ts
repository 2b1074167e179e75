import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type ExecutionResult } from '@svc/sdk'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { checkCitations, citationsOf } from '../../plugins/test/fixtures/check-citations.ts'
import { TASKS } from '../repositories/tasks.ts'

const test = suite('five tasks on real repositories')

const folderOf = (repository: string): string =>
  fileURLToPath(new URL(`../../node_modules/${repository}`, import.meta.url))
const linesOf = (repository: string, path: string): string[] =>
  readFileSync(join(folderOf(repository), path), 'utf8').split('\n')

async function answer(repository: string): Promise<string> {
  const asked = TASKS.find((entry) => entry.repository === repository)
  if (asked === undefined) throw new Error(`no task for ${repository}`)
  const client = await createClient({ provider: 'offline', cwd: folderOf(repository), config: false, env: {} })
  try {
    const result: ExecutionResult = await client.run(asked.task)
    assert.is(result.status, 'completed', result.error?.message)
    assert.is(result.reflection?.verdict, 'pass', JSON.stringify(result.reflection?.checks))
    assert.ok(result.warnings.some(({ code }) => code === 'offline_provider'))
    return result.summary
  } finally {
    await client.disconnect()
  }
}

test('the first command of the README ends well', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const client = await createClient({ provider: 'offline', cwd: root, config: false, env: {} })
  const { status, warnings } = await client.run('Explain the architecture of this repository')
  await client.disconnect()
  assert.is(status, 'completed', JSON.stringify(warnings))
})

for (const { repository, task } of TASKS) {
  test(`every citation about ${repository} exists and holds what the sentence says`, async () => {
    const text = await answer(repository)
    const { claims, problems } = checkCitations(text, folderOf(repository))
    assert.equal(problems, [], `${task}\n${text}`)
    assert.ok(claims.length > 0, text)
    for (const { path, from, to } of claims.flatMap(citationsOf)) {
      assert.ok(existsSync(join(folderOf(repository), path)), `${path} does not exist`)
      if (to === undefined || from === undefined) continue
      assert.ok(
        from >= 1 && from <= to && to <= linesOf(repository, path).length,
        `${path}:${from}-${to} does not exist`,
      )
    }
  })
}

test.run()
