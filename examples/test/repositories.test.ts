import { existsSync, readdirSync, readFileSync } from 'node:fs'
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
const manifestOf = (repository: string) => JSON.parse(readFileSync(join(folderOf(repository), 'package.json'), 'utf8'))

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

/** Fails unless one line of the answer holds all the texts and cites a line of the file that holds the last one. */
function assertCited(text: string, repository: string, path: string, ...texts: string[]): void {
  const wanted = texts.at(-1) ?? ''
  const found = text.split('\n').some(
    (line) =>
      texts.every((part) => line.includes(part)) &&
      citationsOf(line).some(
        ({ path: cited, from = 0, to = 0 }) =>
          cited === path &&
          linesOf(repository, path)
            .slice(from - 1, to)
            .some((source) => source.includes(wanted)),
      ),
  )
  assert.ok(found, `no line says ${texts.join(' and ')} and cites the line of ${path} that holds it:\n${text}`)
}

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

test('the architecture of tapable has its name, version, licence, purpose, main file and folders', async () => {
  const text = await answer('tapable')
  const { name, version, license, description, main } = manifestOf('tapable')
  for (const fact of [name, version, license, description, main]) assertCited(text, 'tapable', 'package.json', fact)
  for (const entry of readdirSync(folderOf('tapable'), { withFileTypes: true })) {
    if (entry.isDirectory() && entry.name !== 'node_modules') assert.ok(text.includes(`\`${entry.name}/\``), entry.name)
  }
})

test('the entry points of cac are all that its manifest exports', async () => {
  const text = await answer('cac')
  const { exports } = manifestOf('cac')
  const entries = Object.entries<unknown>(exports)
  assert.ok(entries.length > 0)
  for (const [path, target] of entries) {
    assertCited(text, 'cac', 'package.json', `\`${path}\``, typeof target === 'string' ? target : path)
  }
})

test('the definition of removeListener in eventemitter3 is cited by its line, with its documentation', async () => {
  const text = await answer('eventemitter3')
  const lines = linesOf('eventemitter3', 'index.js')
  const at = lines.findIndex((line) => line.includes('EventEmitter.prototype.removeListener = '))
  assert.ok(at > 0)
  assert.ok(text.includes(`(index.js:${at + 1})`), `line ${at + 1} is not cited:\n${text}`)
  const comment = lines.slice(0, at).lastIndexOf('/**')
  const says = lines[comment + 1]?.replace(/^\s*\*\s*/, '') ?? ''
  assert.ok(says.length > 10, says)
  assertCited(text, 'eventemitter3', 'index.js', says)
})

test('the licence of picocolors is the one in its manifest, and it has no dependencies', async () => {
  const text = await answer('picocolors')
  const { license, dependencies, name } = manifestOf('picocolors')
  assertCited(text, 'picocolors', 'package.json', license)
  assert.is(dependencies, undefined)
  assert.match(text, new RegExp(`\`${name}\` lists no dependencies`))
})

test('the dependencies of uvu are all named, with their versions, and no others', async () => {
  const text = await answer('uvu')
  const dependencies: Record<string, string> = manifestOf('uvu').dependencies
  for (const [name, version] of Object.entries(dependencies)) {
    assertCited(text, 'uvu', 'package.json', `\`${version}\``, name)
  }
  const listed = text.split('\n').filter((line) => line.startsWith('- '))
  assert.is(listed.length, Object.keys(dependencies).length, text)
})

test.run()
