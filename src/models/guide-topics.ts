/** What to type, without quotes or backticks, and what it does. */
export type TopicRow = readonly [type: string, does: string]

interface Topic {
  /** The first topic whose pattern matches a question answers it alone. */
  readonly asked: RegExp
  /** At most five rows, each short enough for 80 columns. */
  readonly rows: readonly TopicRow[]
}

/** Questions that the help of commands answers badly or not at all. */
export const TOPICS: readonly Topic[] = [
  {
    asked: /\b(?:delete|remove|unsend|take back|correct)\b.*\b(?:messages?|lines?|what i (?:said|wrote))\b/i,
    rows: [
      ['/retract', 'takes your last line back'],
      ['/edit TEXT', 'replaces your last line; /edit s/old/new/ changes a word of it'],
    ],
  },
  {
    asked: /\b(?:pictures?|images?|photos?|screenshots?|vision)\b/i,
    rows: [
      ['scp FILE HOST:ROOM/', 'puts a picture into a room; scp needs -P PORT'],
      ['@MODEL what is in p.png?', 'shows it to a model that sees: name the file'],
      ['/turn', 'says which pictures the model was sent'],
      ['ssh HOST files ROOM p.png > p.png', 'gets it'],
    ],
  },
  {
    asked: /\b(?:files?|folders?|director(?:y|ies)|upload|download|scp|sftp|rsync)\b/i,
    rows: [
      ['scp FILE HOST:ROOM/', 'puts a file into a room, if you may speak there'],
      ['scp HOST:ROOM/FILE .', 'gets a file; scp needs -P PORT, as ssh needs -p'],
      ['sftp HOST', 'lists your rooms by ls; get, put and rm work in them'],
      ['/files', 'lists the files of this room; /files NAME shows one'],
      ['/undo', 'shows which files a model changed for you; /undo yes restores them'],
    ],
  },
  {
    asked: /\b(?:copy|copying|clipboard)\b/i,
    rows: [
      ['/copy', 'puts the newest block of code on your clipboard'],
      ['/copy 2', 'copies the block before it; /copy 1 all copies the newest message'],
      ['ssh HOST copy ROOM', 'prints the newest block alone'],
    ],
  },
  {
    asked:
      /\b(?:remind(?:er|ers|s)?|timer|alarm|schedule[ds]?|cron|daily|weekly|hourly|weekdays?|repeat(?:s|ed|edly)?|(?:each|every) (?:day|week|morning|evening|hour|month|monday))\b/i,
    rows: [
      ['/remind 10m TEXT', 'rings in all your sessions; 18:30 and mon 9:00 work, too'],
      ['/remind --room ROOM 18:30 TEXT', 'is said in a room'],
      ['/every mon-fri 09:00 TEXT', 'is said here each time; @MODEL in it is asked'],
      ['/routines', 'lists what runs here; /routines end 3 ends one'],
    ],
  },
  {
    asked: /\bwithout (?:an? |typing |the )*(?:@|mention)|\btalks?\b.*\bmodels?\b/i,
    rows: [
      ['/talk @MODEL', 'opens your own room with the model; no line needs an @ there'],
      ['/talk', 'lists your talks; /talk @MODEL --new begins afresh'],
      ['/listen @MODEL', 'lets a model answer follow-ups in this room'],
    ],
  },
  {
    asked: /\b(?:watch(?:es)?|alerts?|listens?|follow-?ups?)\b/i,
    rows: [
      ['/watch WORDS @MODEL TEXT', 'asks a model when a line has the words'],
      ['/listen @MODEL', 'lets a model answer follow-ups without its @name'],
      ['/listen off', 'ends the listening; /routines lists what runs here'],
    ],
  },
  {
    asked: /\b(?:panel|compare|second opinion|several models|(?:two|both|three) models)\b/i,
    rows: [
      ['/panel @A @B QUESTION', 'asks both; one sums up and compares the answers'],
      ['/panel @A @B --rounds 2 …', 'lets both read all answers before one sums up'],
      ['/stop', 'stops the whole panel'],
    ],
  },
  {
    asked:
      /\b(?:hand(?:s|ed|ing)? over|turn_depth|models? (?:call|ask|mention)s? (?:each|an)other|in a row)\b/i,
    rows: [
      ['@A ask @B what it thinks', 'if the answer of A names @B, B is asked, too'],
      ['\\@B', 'mentions nobody; neither does a name in code or in a quoted line'],
      ['@B', 'asks B yourself, when models may no longer call each other'],
      ['/stop', 'stops all that you asked for'],
    ],
  },
  {
    asked: /\b(?:retry|regenerate|ask(?:ed)? again|(?:another|new|better) (?:answer|reply))\b/i,
    rows: [
      ['/retry', 'asks your last question again, if it got no whole answer'],
      ['/retry @MODEL', 'asks another model the same; both answers stay'],
      ['↑', 'brings your question back, to change it and send it again'],
    ],
  },
  {
    asked: /\b(?:fork|branch|disturb(?:ing)?|like this (?:room|one))\b/i,
    rows: [
      ['/fork NAME', 'makes a room of yours like this one, without what was said'],
      ['/fork NAME --from -1', 'also copies all lines, including the last one'],
      ['/fork --private NAME', 'hides the new room from all but invited people'],
    ],
  },
  {
    asked: /\b(?:memor(?:y|ies)|remember(?:s|ed)?|forgets?|forgot(?:ten)?|about me)\b/i,
    rows: [
      ['/remember TEXT', 'tells models here TEXT in every turn, until /forget N'],
      ['/remember --me TEXT', 'tells models TEXT about you, in talks and your rooms'],
      ['/memory', 'lists memories; /memory here on uses yours in this room, too'],
      ['/summary', 'shows the summary that models read for older lines'],
    ],
  },
  {
    asked: /\b(?:personas?|reviewers?|pretend|role ?play|act as)\b/i,
    rows: [
      ['/persona reviewer @MODEL find what breaks', 'makes @reviewer in this room'],
      ['@reviewer TEXT', 'asks its model with that instruction'],
      ['/persona reviewer --tools none', 'takes its tools away; --remove deletes it'],
      ['/persona', 'lists the personas of this room'],
    ],
  },
  {
    asked: /\b(?:stop|cancel|abort|interrupt)\b/i,
    rows: [
      ['Ctrl-X', 'stops the models and tools that you started'],
      ['/stop @MODEL', 'stops this model; an op stops models for everybody'],
    ],
  },
  {
    asked: /\b(?:leave|quit|exit|log ?out|disconnect)\b/i,
    rows: [
      ['/quit', 'ends your session, as Ctrl-D does on an empty line'],
      ['/leave', 'goes back to the lobby; you get no more news of the room'],
    ],
  },
  {
    asked: /\b(?:(?:old|older|earlier) (?:lines?|messages?)|scroll(?:back)?|what was said)\b/i,
    rows: [
      ['/history -n 50', 'lists the last fifty lines'],
      ['/search WORDS', 'finds lines; /search - WORDS in all your rooms'],
      ['/export', 'prints all that was said here'],
    ],
  },
  {
    asked: /\b(?:missed|catch up|while i was (?:away|gone|out))\b/i,
    rows: [
      ['/history -n 50', 'lists the last fifty lines here'],
      ['Alt-A', 'goes to a room that names you, else to one with news; so does /next'],
      ['/mentions', 'lists who named you, in all your rooms'],
    ],
  },
  {
    asked: /\bfriends?\b|\badd (?:an? )?(?:user|person|somebody|someone)\b|\bnewcomers?\b/i,
    rows: [
      ['/invites new', 'prints a line to send to a person who was never here'],
      ['/invite NAME', 'lets a person who was here before into a private room'],
    ],
  },
  {
    asked: /\bwho(?:'s| is| are| all is)? (?:here|online|there|present|in (?:this|the) room)\b/i,
    rows: [
      ['/who', 'lists the people and models in this room'],
      ['/rooms', 'lists the rooms, with the number of people in each'],
    ],
  },
  {
    asked: /\d ?%|\bper ?cent\b/i,
    rows: [
      ['@MODEL 11%', 'in the last row: its last request took 11% of its window'],
      ['/wrap @MODEL', 'shows what fills the window, layer by layer'],
    ],
  },
  {
    asked: /\b(?:named?|mention(?:s|ed)?) me\b|\bam i (?:named|mentioned)\b|\bunread\b/i,
    rows: [
      ['Alt-A', 'goes to a room that names you, else to one with news; so does /next'],
      ['/mentions', 'lists who named you, in all your rooms; /mentions 2 goes there'],
      ['/rooms', 'says in which of your rooms something is new'],
    ],
  },
  {
    asked: /\b(?:rings?|bells?|notify|notif(?:y|ications?)|keywords?)\b/i,
    rows: [
      ['/ring off', 'lets nothing ring in this room; with /ring all, each line rings'],
      ['/set words A, B', 'lets these words ring as your name does'],
      ['/set bell off', 'silences your terminal in all rooms'],
    ],
  },
  {
    asked: /\b(?:un)?pin(?:s|ned|ning)?\b/i,
    rows: [
      ['/pin', 'pins the last line under the heading; /pin 3 pins the third last'],
      ['/unpin 1', 'removes the first pin'],
    ],
  },
  {
    asked: /\bmodels? (?:reads?|sees?|knows?|gets?|(?:is|are|was) (?:sent|told|given))\b/i,
    rows: [
      ['/wrap @MODEL', 'shows what a model would be sent now, layer by layer'],
      ['/turn', 'shows what the last turn was really sent'],
    ],
  },
]
