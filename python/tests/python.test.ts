/** The Python client against real servers, and its types against the schemas. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { generatePython } from '../../.tools/generate-python.ts'
import { addModules, findModules, MODULES, root } from './modules.ts'

const test = suite('python')

test('the types of the Python client are what the schemas say: npm run python:types', () => {
  for (const [path, text] of Object.entries(generatePython())) {
    assert.ok(readFileSync(join(root, path), 'utf8') === text, `${path} is not what the generator writes`)
  }
})

const others: readonly string[] = Object.values(MODULES).flat()
addModules(
  test,
  findModules().filter((name) => !others.includes(name)),
)

test.run()
