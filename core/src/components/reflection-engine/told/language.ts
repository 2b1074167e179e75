/** The few words that rules cannot do without, in English, German, French and Japanese. */

/** Says that something is not so, did not work, was not done, or is still to come. */
export const DENIES =
  /\b(?:not|no|none|never|neither|nor|without|cannot|couldn|can['’]?t|won|unable|fail\w*|error\w*|refus\w*|reject\w*|den(?:y|ied|ial)\w*|bounc\w*|block\w*|declin\w*|miss(?:ing|ed)|skipp?\w*|pending|queued|wait\w*|running|in progress|unavailable|invalid|wrong|broken|red|only|but|except|however|still|yet|instead|should|would|could|will|if|nicht|kein\w*|nie|ohne|fehl\w*|abgelehnt|verweigert|scheiter\w*|gescheitert|leider|noch|nur|aber|außer|wartet|offen|konnte\w*|rot|pas|ne|aucun\w*|jamais|sans|échou\w*|échec\w*|erreur\w*|refus\w*|rejet\w*|impossible|attente|mais|sauf|encore|seul\w*)\b|n['’]t\b|❌|✗|✘|⚠|ない|ませ|失敗|拒否|エラー|未|不可|待ち|だが|ただし|赤/iu

/** Speaks of tests or checks that are run. */
export const ABOUT_TESTS =
  /\b(?:tests?|specs?|suite|test_\w+|unittest|pytest|checks? (?:pass|are green)|build|lint\w*|prüfung\w*|testlauf|testsuite|essais?)\b|テスト/iu

/** Says that it went well. */
export const WENT_WELL =
  /\b(?:pass(?:es|ed|ing)?|green|succe\w+|ok|fine|fehlerfrei|grün|bestanden|bestehen|erfolgreich|durch|laufen|passent|réuss\w+|vert\w*|succès)\b|✅|✔|成功|通過|合格|パス|緑/iu
