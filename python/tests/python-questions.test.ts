/** What the Python client is asked by a run, and answers. */
import { suite } from 'uvu'
import { addModules, MODULES } from './modules.ts'

const test = suite('python questions')

addModules(test, MODULES.questions)

test.run()
