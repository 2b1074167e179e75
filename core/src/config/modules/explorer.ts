import { cosmiconfig } from 'cosmiconfig'
import { CODE_ENDINGS, DATA_ENDINGS, SEARCH_PLACES } from '../find/paths.ts'
import { parseData, type ReadFile, toText } from '../read/read-data.ts'
import type { ModuleLoader } from './load-module.ts'

// A module of its own, which is loaded late: tsx takes a package of CommonJS that is bundled and imported late for one without names.
export type Explorer = ReturnType<typeof cosmiconfig>

/** What loads a config file through cosmiconfig. */
export function createExplorer(modules: ModuleLoader, readFile: ReadFile): Explorer {
  // The text that cosmiconfig has read is left aside: what was compared with the record of trust is what counts.
  const data = async (file: string) => (await parseData(toText(readFile(file), file), file)) ?? null
  const code = (file: string) => modules.loadFile(file)
  return standingNowhere(() =>
    cosmiconfig('svc', {
      searchPlaces: [...SEARCH_PLACES],
      searchStrategy: 'none',
      cache: false,
      loaders: {
        ...Object.fromEntries(DATA_ENDINGS.map((ending) => [ending, data])),
        ...Object.fromEntries(CODE_ENDINGS.map((ending) => [ending, code])),
        noExt: data,
      },
    }),
  )
}

/**
 * `cosmiconfig()` looks for settings of its own in the folder that the process stands in, and runs `.config/config.js`
 * there, which no record of trust covers. Below a file there is nothing to find.
 *
 * @param make must be done when it returns
 */
function standingNowhere<Made>(make: () => Made): Made {
  const { cwd } = process
  process.cwd = () => process.execPath
  try {
    return make()
  } finally {
    process.cwd = cwd
  }
}
