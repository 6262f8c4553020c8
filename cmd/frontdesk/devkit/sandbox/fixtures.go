package sandbox

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
)

// fixtures are requests of each type, by patients and for them, urgent or not, with and
// without files.
func fixtures() []fixture {
	return []fixture{
		{0, map[string]any{
			"requestType": "medical", "requester": "patient", "isHighPriority": true,
			"response": answers("healthConcern", "My wrist has been swollen since I fell off my bicycle yesterday. I cannot turn a key.",
				"recentContact", "I rang 111 last night. They said to see a GP today."),
			"attachments": []map[string]string{attached("wrist.jpg", "image/jpeg", photograph()), attached("drawing.png", "image/png", drawing())},
		}},
		{4, map[string]any{
			"requestType": "medical", "requester": "proxy", "proxyDetails": proxy("Halima", "Hassan", "mother"),
			"response": answers("healthConcern", "Amina has had a cough for nine days. It is worse at night. She eats and drinks well.", "recentContact", ""),
		}},
		{1, map[string]any{
			"requestType": "medical", "requester": "patient",
			"response": answers("healthConcern", "My ankles are swollen again in the evenings.\nShould I take the water tablets twice a day as in spring?",
				"recentContact", "The nurse took my blood pressure two weeks ago."),
		}},
		{2, map[string]any{
			"requestType": "admin", "requester": "patient",
			"response": answers("requestDetails", "I am moving to 14 Mill Lane on the first of the month. Please change my address and send me a letter for my new dentist."),
		}},
		{8, map[string]any{
			"requestType": "admin", "requester": "proxy", "proxyDetails": proxy("George", "Fairweather", "son"),
			"response":    answers("requestDetails", "Please find attached the form for my mother’s attendance allowance. It needs a signature and a stamp."),
			"attachments": []map[string]string{attached("attendance-allowance.docx", docxType, document("Attendance allowance: statement by the practice"))},
		}},
		{9, map[string]any{
			"requestType": "medical", "requester": "patient",
			"response": answers("healthConcern", "I would rather talk about this with Dr Taylor only.", "recentContact", ""),
		}},
	}
}

const docxType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

func attached(name, contentType string, content []byte) map[string]string {
	return map[string]string{"fileName": name, "contentType": contentType, "data": base64.StdEncoding.EncodeToString(content)}
}

// photograph is a picture that looks like skin with a bruise.
func photograph() []byte {
	var file bytes.Buffer
	_ = jpeg.Encode(&file, picture(color.RGBA{224, 182, 157, 255}, color.RGBA{124, 82, 118, 255}), nil) // a buffer takes everything
	return file.Bytes()
}

func drawing() []byte {
	var file bytes.Buffer
	_ = png.Encode(&file, picture(color.RGBA{255, 255, 255, 255}, color.RGBA{0, 94, 184, 255})) // a buffer takes everything
	return file.Bytes()
}

// picture is a round spot on a background.
func picture(ground, spot color.RGBA) image.Image {
	const size = 240
	picture := image.NewRGBA(image.Rect(0, 0, size, size))
	for y := range size {
		for x := range size {
			dx, dy := x-size/2, y-size/3
			shade := ground
			if dx*dx+2*dy*dy < size*size/12 {
				shade = spot
			}
			picture.SetRGBA(x, y, shade)
		}
	}
	return picture
}

// document is a Word file of one sentence.
func document(sentence string) []byte {
	const head = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>`
	var file bytes.Buffer
	archive := zip.NewWriter(&file)
	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", head + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
			`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
			`<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`},
		{"_rels/.rels", head + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
			`<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`},
		{"word/document.xml", head + `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
			`<w:body><w:p><w:r><w:t>` + sentence + `</w:t></w:r></w:p></w:body></w:document>`},
	} {
		entry, err := archive.Create(part.name)
		if err == nil {
			_, _ = entry.Write([]byte(part.text)) // a buffer takes everything
		}
	}
	_ = archive.Close() // as above
	return file.Bytes()
}
