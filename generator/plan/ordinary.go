package plan

import "strings"

// ordinary are words that begin descriptions and are no names of anything, so that they are written small within a
// sentence. A list of words is better than the document's own use of them: a comment must not change when something
// unrelated is added.
var ordinary = ordinaryWords(`
a accept accepts access account accounts action actions activate activates add additional address addresses adds
after all allow allows also amount amounts an any append appends applies apply approve approves archive archives
assign assigns at attach attaches authenticate authorize authorizes balance base batch before body boolean bulk
by cancel cancels capture captures cause change changes channel check checks clear clears clone clones close
closes code codes collection comment common complete completes condition configuration confirm confirms connect
connects contain contains content context copies copy count country counts create creates currency current
currently customer customers data date dates deactivate decline default define defines delete deletes delivery
describe describes description detach detail details device difference digest disable disables disconnect
document documents download downloads during each edit edits element email enable enables end ends entity
entries entry error errors estimate event events every evict exchange execute executes expire export exports
extra failed failure false fetch fetches field fields file files fill filter filters find finds finish first
flag folder for force format full general generate generates get gets give gives global grant grants group
groups hash header health here his history host how human identifier identifiers if image import imports in
indicate indicates indicator info information initiate input insert install instance integer internal invalidate
invite invoice invoices issue issues it item items its join key keys kind label language large last latest leave
length level limit link list lists load local location lock log look lookup machine make makes map mark marks
maximum member members merge merges message messages metadata method minimum model models modifies modify money
more most move moves multiple name names new next no node not note notify null number numbers object objects
obtain occurs of offset old on once one only open opens operation operations option optional options order
orders organization our output overwrite owner page pages pagination parameter parameters patch path pause
payload payment payments people percentage period permission person physical pieces ping plain point pointer
poll position possible post present preview previous price primary private process product products profile
project properties property protocol provide provides public publish publishes purge purpose put quantity
queries query range rate raw read reads reason reasons rebuild receive record reference refresh refreshes refund
refunds region register registers reject rejects related relative release reload remind removal remove removes
rename replace replaces reply report reports represent represents request requests required resend reset resets
resolve resource resources response responses restart restore restores result results resume retrieve retrieves
retry return returns revoke revokes role root rotate row rule rules run runs sample save saves schedule schema
scope score search searches second secret section selected send sends sequence series service services session
set sets setting settings severity share shared short show shows sign signature simple single size skip small
some somebody someone something sort source specific specifies specify stable stage standard start starts state
statement states statistics status step stop stops store stores stream streams string structure sub subject
submit submits subscribe subset success successful sum summary supported suspend switch sync synchronize system
tag tags take takes target task team template terminate test tests text that the their there these third this
those time times title to toggle token top total track transfer trigger triggers true type types unassign unique
unit unlink unlock unpublish unsubscribe until update updates upload uploads upsert url use used user users uses
valid validate validates value values verifies verify version view visibility void wait watch web weight what
whatever when where whether which who whole whose why with word write writes your zero zone
`)

func ordinaryWords(text string) map[string]bool {
	words := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		words[w] = true
	}
	return words
}

// lowerFirst begins a sentence in the middle of another, unless its first word may be a name.
func lowerFirst(text string) string {
	word, _, _ := strings.Cut(text, " ")
	small := strings.ToLower(word[:min(1, len(word))]) + word[min(1, len(word)):]
	if small == word || !ordinary[strings.TrimRight(small, ".,:;")] {
		return text
	}
	return small + text[len(word):]
}
