import { ask, type Maker } from './about-package.ts'
import { isSource, isTest, type Project } from './project.ts'
import { choose } from './score.ts'

interface Place {
  name: string
  path: string
  line: number
}

/** Definitions by their first words, in files that are no tests. */
function definitionsIn({ files, language }: Project): Place[] {
  const pattern =
    language === 'python'
      ? /^(?:async )?(?:def|class) ([A-Za-z]\w{3,})/
      : /^(?:export )?(?:default )?(?:declare )?(?:async )?(?:function\*?|class) ([A-Za-z]\w{3,})/
  return placesOf(files, (line) => pattern.exec(line)?.[1])
}

/** `res.json = function` and the like, the object's name before the member's. */
const assignedIn = ({ files }: Project): Place[] =>
  placesOf(
    files,
    (line) => /^(?:module\.)?([a-z]\w*\.(?!prototype)\w{3,}) = (?:async )?(?:function|\()/.exec(line)?.[1],
  ).filter(({ name }) => !/^(?:exports|module|this)\./.test(name))

const placesOf = (files: Project['files'], read: (line: string) => string | undefined): Place[] =>
  files
    .filter((file) => isSource(file) && !isTest(file))
    .flatMap(({ path, lines }) =>
      lines.flatMap((line, index) => {
        const name = read(line)
        return name === undefined ? [] : [{ name, path, line: index + 1 }]
      }),
    )

/** One name, asked for by its place. */
const whereIs =
  (kind: string, find: (project: Project) => Place[], wordings: (name: string) => string[]): Maker =>
  (project) => {
    const all = find(project)
    const few = all.filter(({ name }) => all.filter((other) => other.name === name).length <= 3)
    const one = choose(few, project.name)
    if (!one) return undefined
    const own = all.filter(({ name }) => name === one.name)
    return ask(
      kind,
      wordings(one.name),
      project.name,
      (answer) => own.some(({ path, line }) => new RegExp(`${escapeRegex(path)}:${line}\\b`).test(answer)),
      (answer) => {
        const said = /\bdefined in `([^`]+)`/.exec(answer)?.[1]
        return (
          /I found nothing named|I found no definition/.test(answer) ||
          (said !== undefined && !own.some(({ path }) => path === said))
        )
      },
    )
  }

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const defines = whereIs('defines', definitionsIn, (name) => [
  `Which file defines ${name}?`,
  `Where is ${name} defined?`,
  `In which file is \`${name}\` implemented?`,
])
const assigned = whereIs('assigned', assignedIn, (name) => [
  `Which file defines ${name}?`,
  `Where is ${name} implemented?`,
])

export const ABOUT_CODE: readonly Maker[] = [defines, assigned]
