/** The Python package as others get it, its examples, and a server that dies under it. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addModules, root } from './modules.ts'

const test = suite('python package')
const HERE = ['test_package', 'test_restart', 'test_examples']
const ELSEWHERE = [
  'test_streams',
  'test_client',
  'test_errors',
  'test_async',
  'test_transport',
  'test_approvals',
  'test_tls',
]

test('each Python test module is run by one of the two files', () => {
  const found = readdirSync(join(root, 'python/tests')).flatMap(
    (name) => /^(test_.*)\.py$/.exec(name)?.slice(1, 2) ?? [],
  )
  assert.equal(found.sort(), [...HERE, ...ELSEWHERE].sort())
})

addModules(test, HERE)

test.run()
