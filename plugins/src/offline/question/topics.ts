/** What a question speaks of, by the words of four languages; what they leave over is what it is about. */

export type Language = 'en' | 'de' | 'fr' | 'ja'

/** Words of each topic: those of languages with spaces, then those of Japanese. The first that match take their words. */
const TOPICS = {
  // what no look-up answers: reasons, opinions, what was or will be
  opinion: [
    'why|how come|warum|wieso|weshalb|pourquoi|reasons? (?:for|why)|should|better|best|worst|safe|secure|faster|slower|worth|recommend(?:ed)?|good (?:idea|choice)|instead of|rather|compared to|changed|what changes|new in|changelog|release notes|next version|sollte|soll|besser|beste[nrs]?|sicher|schneller|geändert|änderungen|meilleure?s?|mieux|devrai[st]?|recommand\\p{L}*|nouveautés?|changements?|changé',
    'なぜ|どうして|理由|べき|良い|いいです|安全|おすすめ|お勧め|速い|優れ|変更|変わっ|新しく|次のバージョン',
  ],
  architecture: [
    'architecture|architektur|parts of (?:the|this) (?:package|project|library|code\\p{L}*|repo\\p{L}*)|(?:which|what) (?:steps|stages|phases|layers)|(?:goe?s?|gone|travels?|pass(?:es)?|moves?) through|(?:a |quick )*tour|sketch|arrang(?:ed|ement)|components|interact|relationships?|hierarchy|class diagram|class hierarchy|wired|connected|each other|(?:main|central|core|key|important) (?:classes|files|concepts|pieces)|(?:fit|work|play|tie|tied|go|belong)s? (?:together|with each other)|relate[sd]?|module structure|big parts|(?:rough|high[- ]level) (?:map|picture)|zusammen(?:spiel|hängen)|hängen .{0,60} zusammen|ineinander|s.articul\\p{L}*|fonctionne(?:nt)? ensemble|(?:the |its )?(?:overall )?design(?! pattern)(?:ed)?|internal (?:design|workings)|works? internally|under the hood|(?:split|divided|broken) (?:up|down|into)|splits? up|moving parts|building blocks|breakdown|découpée?|agencée?|unterteilt|bestandteile|baustein\\p{L}*|zusammengesetzt|(?:folder|project|code|directory) (?:structure|layout)|structur(?:ed?|ing)|organi[sz](?:ed|ation)|hangs? together|source tree|file tree|consists? of|lives? in which|which (?:folders|directories|parts)|made up|laid out|put together|fit together|aufgebaut|aufbau|gegliedert|struktur(?:iert)?|ordnerstruktur|organisée?|structurée?|structure|layout|overview|überblick|vue d.ensemble|(?:main|major|core|different|key|central|wichtigsten|principa\\p{L}+) (?:parts|pieces|components|modules|teile|bestandteile|parties|composants)|hauptteile|big picture',
    'アーキテクチャー?|構成|構造|全体像|設計|仕組み|内部',
  ],
  summary: [
    'summar(?:i[sz]e[sd]?|y|ies)|short version|sum(?: \\p{L}+){0,3} up|tl;?dr|gist of|overview of what|nutshell|one[- ]liner|elevator pitch|brièvement|kurzfassung|überblick über|outline|describe|in (?:a few|two|three|short|brief)(?: (?:words|sentences))?|gist|zusammenfass\\p{L}*|fasse?|zusammen|beschreib\\p{L}*|kurz|résum\\p{L}*|décri\\p{L}*|synthèse|en bref|explain|erklär\\p{L}*|expliqu\\p{L}*|briefly|tell me about|walk me through|présente\\p{L}*',
    '要約|まとめ|概要|説明|紹介|簡単|簡潔|短く|一言|ひとこと|手短',
  ],
  count: [
    'how many|how much|number of|count|amount of|total|wie ?viele?|(?:die )?anzahl|combien|(?:le )?nombre',
    'いくつ|幾つ|何個|何件|何本|何行|何種類|何人|何つ|個数|件数|行数|の数|数は|ファイル数|数を|何ファイル',
  ],
  devDependencies: [
    '(?:dev(?:elopment)?|entwicklungs)[- ]?(?:dependenc(?:y|ies)|deps|abhängigkeit(?:en)?)|(?:packages?|pakete|paquets) (?:needed |used )?(?:only )?(?:for|in|zum|für die|pour le) (?:development|entwickeln|entwicklung|développement)|devdependencies|dépendances? de développement|développement',
    '開発(?:用|時)?の?(?:依存(?:関係|パッケージ|ライブラリ)?)|devDependencies',
  ],
  peerDependencies: [
    'peer[- ]?(?:dependenc(?:y|ies)|abhängigkeit(?:en)?)|peerdependencies|dépendances? (?:de pair|paire?s?|peer)',
    'ピア(?:依存(?:関係)?|・?ディペンデンシー)|peerDependencies',
  ],
  needs: [
    '(?<=(?:what|which) .{0,40}(?:are|is) )(?:required|imported|used|loaded|needed)(?= by )|(?:welche (?:module|pakete|bibliotheken|abhängigkeiten)|quels (?:modules|paquets)) (?:importiert|benötigt|verwendet|benutzt|braucht|lädt|nutzt|utilise|importe|requiert|charge)|(?:of|from|on|von) (?:which|what|welchen) .{0,40}(?:depends?|relies)|(?:what|which)(?=(?: [\\p{L}-]+){0,4} (?:does|do|is|are) .{1,80} (?:depends?|import|require|use|need|rely|built|load)(?![\\p{L}]))|wovon|worauf|was(?= (?:importiert|benötigt|braucht|verwendet|benutzt|lädt))|von was|de quoi|que(?= (?:requiert|importe|charge))|qu.importe|(?:imports?|requires?) of|importe-t-il|importe-t-elle|dont dépend|dépend de quoi',
    '何に依存|何を(?:インポート|import|require|使|利用|必要)|が依存して(?:いる|る)|がインポートして(?:いる|る)|が(?:使って|使用して|利用して)いる',
  ],
  engines: [
    '(?:minimum|min\\.?|lowest|oldest|minimale|mindestens|minimum de|which|what|welche|quelle|benötigte|required)? ?(?:node(?:\\.?js)?|python)(?:[- ]?(?:version(?:en|s)?|engines?))?|versions? (?:minimale )?(?:of|von|de) (?:node(?:\\.?js)?|python)|engines?|runtime version',
    '(?:Node(?:\\.?js)?|Python)の?(?:最低|必要な|対応)?の?(?:バージョン)?',
  ],
  testScript: [
    'test[- ]?(?:runner|framework|suite|tool|script|librar(?:y|ies)|werkzeug)s?|outils? de tests?|framework de tests?|womit .{0,30}tests?|(?:tool|framework|program|runner|command) (?:that )?(?:runs|executes) (?:the )?(?:unit )?tests?|(?:run|execute|start)(?:s|ning)? (?:the |its |my )?(?:unit )?tests?|npm (?:run )?test|tests? (?:are |is )?(?:run|executed|started)|testbefehl|tests? (?:aus|laufen|gestartet|ausgeführt|ausführen|starten)|(?:lance|exécute|lancer|exécuter)\\p{L}* les tests',
    'テスト(?:に|で)は?(?:何|どの(?:ツール|フレームワーク))を?(?:使|利用)?\\p{L}*|テスト(?:ツール|ランナー|フレームワーク|スクリプト|コマンド)|テストを(?:実行|走らせ)\\p{L}*|テストの(?:実行|走らせ方)\\p{L}*',
  ],
  name: [
    '(?:package|project|library|its) name|name (?:of|des|der|du|de la|de) (?:the |this |dieses |dieser |ce |cette )?(?:package|project|library|pakets?|projekts?|bibliothek|paquet|projet|bibliothèque)',
    '(?:パッケージ|プロジェクト|ライブラリ)(?:の)?名',
  ],
  license: ['licen[cs](?:e[ds]?|ing)|lizenz(?:en|iert)?|licences?|licencié|under what terms', 'ライセンス|許諾'],
  version: ['versions?|versionsnummer|release number', 'バージョン|版'],
  author: [
    'authors?|written by|who (?:wrote|made|created|develops|maintains)|maintainers?|autor(?:en|in)?|wer hat .{0,40}(?:geschrieben|entwickelt|gemacht)|geschrieben|auteurs?|qui a (?:écrit|créé|développé|fait)|écrit|créé',
    '作者|著者|作った|書いた|開発者|メンテナー?',
  ],
  bin: [
    'commands?(?= (?:does|do) .{1,40} (?:install|ship|provide|offer))|command[- ]line (?:tools?|commands?|programs?|interface)|cli (?:commands?|tools?|names?)|executables?|binar(?:y|ies)|bin|kommandozeilen\\p{L}*|ausführbare[nrs]?|exécutables?|ligne de commande|installed commands?',
    '実行ファイル|コマンドライン(?:ツール)?',
  ],
  main: [
    '(?:main |entry[- ]?|einstiegs|haupt)(?:points?|files?|modules?|punkte?|dateie?n?|scripts?)|entry|einstieg|points? d.entrée|fichier principal|module principal|main',
    'エントリー?ポイント|メインファイル|入口|エントリ',
  ],
  scripts: ['npm run|(?:npm )?scripts?|npm[- ]?skripte?|skripte?n?', 'スクリプト'],
  command: ['commands?|befehle?n?|commandes?', 'コマンド'],
  dependencies: [
    '(?:runtime |direct |laufzeit|direkte[nr]? )?(?:dependenc(?:y|ies)|deps|abhängigkeit(?:en)?|laufzeitabhängigkeit(?:en)?)|(?:third[- ]party|other|external|andere[nr]?|fremde[nr]?|externe[nr]?|autres|tierce[s]?) (?:packages?|libraries|modules?|pakete?n?|bibliotheken|paquets|bibliothèques|modules|code)|dépendances?(?: directes?)?(?: d.exécution)?',
    '依存(?:関係|パッケージ|ライブラリ|モジュール|先)|ランタイム依存',
  ],
  effect: [
    'what happens (?:when|if|on)(?: (?:i|you|we))?(?: calls?| uses?| sets?| passe?s?)?|was passiert(?:,? wenn)?|que se passe-t-il(?: (?:quand|si))?|effects?|wirkung|effet',
    'を?(?:呼ぶと|呼び出すと|使うと|指定すると|設定すると)|どうなり|どうなる|効果',
  ],
  uses: [
    'pulls? in|uses?|used|using|usages?|imports?|imported|importing|calls?|called|callers?|requires?|required|references?|referenced|mentions?|mentioned|depends?|depended|depending|relies|rely|relying|consume[ds]?|needs?|needed|built (?:on|with)|verwende(?:t|n)|benutz(?:t|en)|nutz(?:t|en)|genutzt|importier(?:t|en)|aufgerufen|rufen|ruft|erwähn(?:t|en)|häng(?:t|en)|abhäng(?:t|en|ig)|ab|brauch(?:t|en)|benötig(?:t|en)|utilis(?:e|ent|ée?s?|er)|import(?:e|ent|ée?s?)|appel(?:le|lent|ée?s?)|requ(?:iert|ièrent)|dépend(?:ent|ant)?|référence(?:nt)?|mentionn\\p{L}*|besoin|nécessite(?:nt)?',
    '依存|使って|使用|使われ|使う|利用|インポート|呼び出|呼ばれ|呼んで|参照|必要|importして|requireして',
  ],
  default: [
    'defaults?(?: values?)?|default to|(?:standard|vorgabe|vor)(?:wert|einstellung)|standardmäßig|voreingestellt|par défaut|valeur par défaut',
    'デフォルト値?|既定値?|初期値',
  ],
  todo: [
    '(?:todo|fixme|hack|xxx)s?(?:[- ](?:comments?|notes?|kommentare?|commentaires?))?',
    'TODO(?:コメント)?|FIXME(?:コメント)?',
  ],
  line: ['lines?(?: of code)?|zeilen?|codezeilen|lignes?(?: de code)?|loc', '行'],
  test: ['tests?(?: ?files?)?|test(?:dateie?n?|fälle)|specs?|fichiers? de tests?', 'テスト(?:ファイル)?'],
  folder: [
    'folders?|director(?:y|ies)|ordner[ns]?|unterordner|verzeichnis(?:se)?|dossiers?|répertoires?|subfolders?',
    'フォルダー?|ディレクトリー?',
  ],
  where: [
    'where(?:abouts)?|the code (?:that|which)|(?:which|what) (?:functions?|class(?:es)?|methods?|parts?|pieces?|bits?|places?)(?= (?!is |are |does |do )\\p{L})|looking for|point me|locate|show me where|in (?:which|what)(?: \\p{L}+)? (?:files?|modules?|folders?)|(?:which|what)(?: \\p{L}+)? (?:files?|modules?|source)|what line|which line|wo|wohin|in welche[rmn] (?:datei|modul|ordner)|welche (?:datei(?:en)?|module?)|où|dans quels? (?:fichiers?|modules?|dossiers?)|quels? (?:fichiers?|modules?)|location of|path (?:of|to)|pfad|chemin|find|finde(?:t|n)?|trouve',
    'どこ|どのファイル|どのモジュール|何というファイル|場所',
  ],
  defined: [
    'defin(?:ed|es?|ition)|declar(?:ed|es?|ation)|implement(?:ed|s|ation)?|located|lives?|lies|found|written|codes?|source|definiert|definition|deklariert|implementier(?:t|ung)|umgesetzt|liegt|steht|steckt|befindet|zu finden|défini(?:e|s|t|ssent|tion)?|déclarée?s?|implémentée?s?|implémentation|située?|trouver?',
    '定義|宣言|実装|書かれ|置かれ',
  ],
  exports: [
    'export(?:s|ed)?|exportier(?:t|en)|export(?:e|ent|ée?s?)|public (?:api|interface)|exposes?',
    'エクスポート|公開',
  ],
  function: ['functions?|funktion(?:en)?|fonctions?', '関数'],
  class: ['class(?:es)?|klassen?', 'クラス'],
  method: ['methods?|members?|methoden?|méthodes?', 'メソッド'],
  codeWord: [
    'interfaces?|schnittstellen?|types?|type alias|typ(?:en)?|constants?|variables?|konstanten?|variablen?|constantes?',
    'インターフェース|インターフェイス|型|定数|変数',
  ],
  option: [
    'options?|option(?:en)?|settings?|parameters?|flags?|properties|property|fields?|arguments?|einstellung(?:en)?|parametern?|paramètres?',
    'オプション|設定|パラメータ|引数|フラグ|プロパティ|フィールド',
  ],
  file: ['files?|datei(?:en)?|fichiers?', 'ファイル'],
  self: [
    'diese[srm]? ding|hier|(?:npm[- ])?(?:packages?|pakete?[sn]?|paquets?)|projects?|projekt(?:e?s)?|projets?|librar(?:y|ies)|bibliothe(?:k|ken)|bibliothèques?|librairies?|repo(?:s|sitory|sitories|sitorium|sitoriums)?|dépôts?|code ?base|codebasis|workspace|modules?|moduls?|it|its|es|er|sie|seine?r?|son|sa|ses|elle|il',
    'この(?:パッケージ|プロジェクト|ライブラリー?|リポジトリ|レポジトリ|モジュール|ツール|コード)|パッケージ|プロジェクト|ライブラリー?|リポジトリ|レポジトリ|モジュール|コードベース|これ',
  ],
  how: ['how(?: (?:do|does|can|to|would|is|are))?|wie|comment', 'どうやって|どのように|方法|やり方|使い方'],
  purpose: [
    "good for|purpose|meaning|worum geht(?: es| s)?|wozu|geht es|worum|(?:de quoi )?s.agit[- ]il|what problem|solves?|all about|changes?|what(?:'s|’s)?(?: (?:is|are|does|do))?|does|do|job|role|for|about|responsible|goal|zweck|wofür|macht|tut|aufgabe|was(?: ist| sind| macht| tut)?|bedeutet|mean(?:s|ing)?|bewirkt|dient|rôle|but|sert|servent|fait|font|que|qu.est-ce(?: que| qu.)?|quoi|à quoi|signifie|return(?:s|ed)?|gibt|zurück|retourne|renvoie",
    '何(?:を|の|に|です|か)?|なに|役割|目的|ため|する|します|返|意味|働き|機能',
  ],
} as const satisfies Readonly<Record<string, readonly [spaced: string, japanese: string]>>

export type Topic = keyof typeof TOPICS

/** Topics by their names. */
export const topicsIn = (names: string): ReadonlySet<Topic> => new Set(names.split(' ') as Topic[])

/** Of Latin script, by its ranges: V8 takes 20 times as long to compile a script where case does not matter. */
const LETTER = '[A-Za-zÀ-ÖØ-öø-ɏ\\d_$]'
/** What a word with a hyphen goes on with, other than the pronoun of a French question. */
const HYPHENATED = `-(?!(?:t-)?(?:ils?|elles?|on|y)(?!${LETTER}))${LETTER}`
let patterns: readonly { topic: Topic; pattern: RegExp }[] | undefined
/** Made with the first question in words, since a sum has none: they take a twelfth of the start of a command. */
const getPatterns = () => {
  patterns ??= Object.entries(TOPICS).map(([topic, [spaced, japanese]]) => ({
    topic: topic as Topic,
    pattern: new RegExp(`(?<!${LETTER}-?)(?:${spaced})(?!${LETTER}|${HYPHENATED})|${japanese}`, 'giu'),
  }))
  return patterns
}

/** Words of a question that are about nothing. */
const FILLER = new Set(
  (
    'please tell me us show list report name names named give given say says exactly currently current actually all any every each whole entire complete full one ones there here just only also too even ever still so far ' +
    'i im you we they he them she my your our their what which who whom whose when is isnt are arent was were be been being has have having had do did doing done can could will would may might must shall ' +
    'the a an this that thats these those of in on at to from by with within inside under into onto out for and or but if so as than then not no get gets got about like kind kinds sort exist exists exact ' +
    'contain contains contained hold holds come comes go goes going gone make makes made know need want wants wanted let look looks looking see available provide provides provided offer offers offered ship ships shipped shipping bring brings bundled ' +
    'directly overall altogether in total listed declared runtime production prod external anything something everything else words word sentence sentences phrases paragraph two three four five short shortly quick quickly most least ' +
    'sit sits kept npm pull newcomer newcomers beginner boss colleague someone number published release different distinct separate individual various public named custom respectively distribution name numéro publié publiée exécution titel own counting somebody supposed meant point thing things stuff bit really basically simply plain simple ok okay mind describing whats happens turned hi hello hey thanks thx pls plz allowed right now today ' +
    'top-level top level high-level low-level internally since minimum minimal min lowest oldest required supported supports support run runs running work works working install installs installed put kindly question roughly loaded loads ' +
    'bitte nenne nenn zeige zeig sag sage sagen mir uns euch alle alles jede jeder jedes ganze ganzen genau aktuell aktuelle derzeit hat haben habe hast ist sind war wird werden wurde kann können man muss müssen soll gibt gib enthält enthalten kommt kommen geht laufen läuft ' +
    'der die das den dem des ein eine einen einem einer eines dieser diese dieses diesem diesen welche welcher welches welchen welchem wer wen wem wann und oder aber im in am an auf aus bei beim mit nach von vom zu zum zur für über unter unterm zwischen nicht kein keine ich du wir ihr sich als da dort hier es steht laut insgesamt laufzeit mindestens eigentlich denn mal noch schon auch nur ' +
    'genannt heißt heisst lautet lauten hoch groß davon darin drin worin liegen liegt befinden direkt satz sätze sätzen zwei drei paar wenigen worten knapp grob hätte gerne möchte ' +
    's il te vous plaît plait svp stp donne donnez dis moi nous liste montre montrez quel quelle quels quelles qui que quoi dont est sont était a ont avoir y être peut peux faut faut-il faudrait le la les l un une des du de d au aux ce cet cette ces ça cela en dans sur sous par pour avec sans et ou ne pas je tu on se à n c t a-t t-il a-t-il t-elle contient contiennent comporte compte appelle nommée nommé trouve sert fournit possède ' +
    'phrase deux trois quelques mots total exactement actuelle actuellement minimale nécessaire requise directement trouvent'
  ).split(' '),
)
/** Japanese without a word of its own: kana alone, and what asks. */
const KANA =
  /^[\p{Script=Hiragana}ー]*$|^(?:教|誰|下|全部|全|中|内|上|直下|合計|最低|現在|今|文|二|三|行|人|方|主|主要|本|個|件|出|見|知|分|書|実行時|本番|等|各|名前|種類|番号|最新|公開|使用中|全体)$/u

export interface Topics {
  readonly topics: ReadonlySet<Topic>
  /** The words that told each topic. */
  readonly told: ReadonlyMap<Topic, string>
  /** Words that are neither names, topics nor fillers, as they are typed. */
  readonly rest: readonly string[]
}

/** The topics of a text from which names and paths were taken out. */
export function readTopics(text: string): Topics {
  const told = new Map<Topic, string>()
  let left = text.normalize('NFKC')
  for (const { topic, pattern } of /\p{L}/u.test(left) ? getPatterns() : []) {
    const words = left.match(pattern)
    if (words === null) continue
    told.set(topic, words.join(' '))
    left = left.replace(pattern, ' ')
  }
  const words =
    left.match(
      /[\p{Script=Latin}\p{N}_$@][\p{Script=Latin}\p{N}_$@./-]*|[\p{Script=Han}\p{Script=Katakana}ー]+|\p{Script=Hiragana}+/gu,
    ) ?? []
  const rest = words
    .map((word) => word.replace(/^[-./]+|(?<![-./])[-./]+$/g, ''))
    .filter((word) => word !== '' && !FILLER.has(word.toLowerCase()) && !KANA.test(word) && !/^[a-z]$/i.test(word))
  return { topics: new Set(told.keys()), told, rest: [...new Set(rest)] }
}

export function readLanguage(text: string): Language {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text)) return 'ja'
  const words = new Set(text.toLowerCase().match(/\p{L}+/gu) ?? [])
  const share = (some: string): number => some.split(' ').filter((word) => words.has(word)).length
  const de =
    share(
      'der die das ist sind wie was wo wer welche welches welcher viele von dieses diese und zu im in mit den dem für nicht aus bitte ein eine hat es',
    ) + (/[äöüß]/i.test(text) ? 1 : 0)
  const fr =
    share(
      'le la les est sont où que quel quelle quels quelles combien comment du des de ce cette et dans pour avec un une qui pourquoi à',
    ) + (/[éèêçàù]|\b[cdlnsq]['’]/i.test(text) ? 1 : 0)
  const en = share('the is are what where which how many does do of this in and to for with a why')
  if (en >= de && en >= fr) return 'en'
  return de >= fr ? 'de' : 'fr'
}
