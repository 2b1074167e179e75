/** Runs `attack()` of the module that is named, and sends what it returned to the process that started this one. */
import { pathToFileURL } from 'node:url'

let answer
try {
  const { attack } = await import(pathToFileURL(process.argv[2]).href)
  answer = { value: await attack() }
} catch (error) {
  answer = { error: error?.stack ?? String(error) }
}
process.send(answer, () => process.exit())
