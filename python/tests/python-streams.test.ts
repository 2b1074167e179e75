/** Streams of the Python client, and its life in asyncio. */
import { suite } from 'uvu'
import { addModules, MODULES } from './modules.ts'

const test = suite('python streams')

addModules(test, MODULES.streams)

test.run()
