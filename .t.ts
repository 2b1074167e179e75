import { ask } from './plugins/test/fixtures/ask-offline.ts'
const qs: [string,string][] = [
['c8','What does the --all option do?'],['c8','What is the per-file flag for?'],['c8','What does Report.run do?'],['c8','What does _normalizeProcessCov do?'],['c8','What is checkCoverages for?'],['c8','what does reports-dir mean'],
['cosmiconfig','What does stopDir do?'],['cosmiconfig','What is the purpose of searchPlaces?'],['cosmiconfig','What does clearCaches do?'],['cosmiconfig','what does mergeSearchPlaces do'],['cosmiconfig','What is $import?'],['cosmiconfig','What does transform do?'],
['debug','What does extend() do?'],['debug','What does DEBUG_COLORS do?'],['debug','what is selectColor for'],['debug','What does coerce do?'],['debug','What does %O do?'],
['eventsource-parser','What does onRetry do?'],['eventsource-parser','What does maxBufferSize do?'],['eventsource-parser','What is the reset method for?'],['eventsource-parser','What does EventSourceParserStream do?'],
['fast-uri','What does the tolerant option do?'],['fast-uri','What does removeDotSegments do?'],['fast-uri','Was macht normalizeIPv6?'],
['helmet','What does xDownloadOptions do?'],['helmet','What does noSniff do?'],['helmet','What is upgradeInsecureRequests?'],['helmet','What does reportOnly do?'],
['pg-protocol','What does serialize do?'],['pg-protocol','What does the Parser class do?'],
['pgpass','What does isValidEntry do?'],['pgpass','What is PGPASSFILE for?'],['router','What does mergeParams do?'],['router','What is restore() for?'],['router','What does getPathname do?'],['router','What does strict do?'],
['yargs','What does demandOption do?'],['yargs','What does .strict() do?'],['yargs','What is hideBin for?'],['yargs','What does maybeAsyncResult do?'],['yargs','What does populatePositionals do?'],
]
for (const [p,q] of qs) { const {text}= await ask('/work/wt/offline/node_modules/'+p, q); console.log('\n##',p,'|',q,'\n'+text.split('\n').slice(0,7).map(l=>l.slice(0,170)).join('\n')) }
